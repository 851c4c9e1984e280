import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setToolPolicy } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { liveVersion } from "~/platform/events/events.service.server";
import { organisations } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { deletePersonaRow, findPersonaRow, updatePersonaRow } from "./personas.repo.server";
import { PersonaInput } from "./personas.schema";
import {
  createPersona,
  defaultPersonaModel,
  deletePersona,
  findPersona,
  listPersonas,
  nameModels,
  offerPersonaModels,
  pagePersonas,
  readPersona,
  updatePersona,
} from "./personas.service.server";

describe("personas", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    let time = Date.UTC(2026, 0, 1);
    setClock(() => time++);
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  const input = (name: string, more: Partial<PersonaInput> = {}) => PersonaInput.parse({ name, ...more });
  const stranger = (): Actor => {
    transaction((tx) =>
      tx.insert(organisations).values({ id: "org_other", name: "Other", createdAt: 1 }).run(),
    );
    return { ...test.actors.owner, orgId: "org_other" };
  };

  it("announce each change to open pages", () => {
    const versions = [liveVersion()];
    const { id } = createPersona(test.actors.member, input("Watch"));
    versions.push(liveVersion());
    updatePersona(test.actors.member, id, { name: "Guard" });
    versions.push(liveVersion());
    deletePersona(test.actors.member, id);
    versions.push(liveVersion());
    expect(new Set(versions).size).toBe(4);
  });

  it("aren't overwritten by an edit of an older version", () => {
    const { admin, member } = test.actors;
    const { id, updatedAt } = createPersona(member, input("Analyst", { systemPrompt: "Be brief" }));
    const saved = updatePersona(admin, id, { systemPrompt: "Name your sources" }, updatedAt);
    const entered = { name: "Analyst", systemPrompt: "Be thorough" };
    expect(() => updatePersona(member, id, entered, updatedAt)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message:
          "The persona changed since you opened it. What you entered differs in: System prompt. Save again to replace the saved version, or leave without saving to keep it.",
        fields: { updatedAt: [expect.stringContaining("changed since you opened it")] },
      }),
    );
    expect(readPersona(member, id).systemPrompt).toBe("Name your sources");
    expect(updatePersona(member, id, entered, saved.updatedAt).systemPrompt).toBe("Be thorough");
  });

  it("have another version after each change, even within a millisecond", () => {
    setClock(() => Date.UTC(2026, 0, 1));
    const { id, updatedAt } = createPersona(test.actors.member, input("Analyst"));
    updatePersona(test.actors.admin, id, { name: "Writer" }, updatedAt);
    expect(() => updatePersona(test.actors.member, id, { name: "Editor" }, updatedAt)).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
  });

  it("are listed newest first", () => {
    for (const name of ["First", "Second", "Third"]) createPersona(test.actors.member, input(name));
    expect(listPersonas(test.actors.viewer).map((persona) => persona.name)).toEqual([
      "Third",
      "Second",
      "First",
    ]);
  });

  it("come in pages that miss and repeat none", async () => {
    for (let n = 0; n < 7; n++) createPersona(test.actors.member, input(`Persona ${n}`));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await pagePersonas(test.actors.viewer, { limit: 3, cursor });
      seen.push(...page.personas.map((persona) => persona.name));
      cursor = page.next;
    } while (cursor);
    expect(seen).toEqual(listPersonas(test.actors.viewer).map((persona) => persona.name));
    expect(seen).toHaveLength(7);
  });

  it.each(["", ".", "zz", "!.per_1"])("have no page at the cursor %j", async (cursor) => {
    await expect(pagePersonas(test.actors.viewer, { limit: 3, cursor })).rejects.toThrow(
      "not valid for this list",
    );
  });

  it("keep every field", () => {
    const made = createPersona(
      test.actors.member,
      input("Analyst", {
        systemPrompt: "Be brief.",
        mode: "research",
        tools: ["web.fetch"],
        defaultModel: "o9",
      }),
    );
    expect(readPersona(test.actors.viewer, made.id)).toEqual(made);
    expect(made).toMatchObject({
      name: "Analyst",
      mode: "research",
      tools: ["web.fetch"],
      defaultModel: "o9",
    });
  });

  it("change only the patched fields", () => {
    const made = createPersona(test.actors.member, input("Analyst", { systemPrompt: "Be brief." }));
    expect(updatePersona(test.actors.member, made.id, { mode: "operations" })).toEqual({
      ...made,
      mode: "operations",
      updatedAt: expect.any(String),
    });
    expect(readPersona(test.actors.viewer, made.id).systemPrompt).toBe("Be brief.");
  });

  it("have names of their own", () => {
    const made = createPersona(test.actors.member, input("Analyst"));
    const other = createPersona(test.actors.member, input("Writer"));
    const message = { code: "conflict", fields: { name: ['A persona named "Analyst" already exists'] } };
    expect(() => createPersona(test.actors.admin, input("Analyst"))).toThrow(
      expect.objectContaining(message),
    );
    expect(() => updatePersona(test.actors.admin, other.id, { name: "Analyst" })).toThrow(
      expect.objectContaining(message),
    );
    expect(updatePersona(test.actors.admin, made.id, { name: "Analyst" }).name).toBe("Analyst");
  });

  it("are found by id or exact name", () => {
    const made = createPersona(test.actors.member, input("Analyst"));
    expect(findPersona(test.actors.viewer, made.id)).toEqual(made);
    expect(findPersona(test.actors.viewer, "Analyst")).toEqual(made);
    expect(findPersona(test.actors.viewer, "analyst")).toBeUndefined();
  });

  it("are searched by name and system prompt, whatever their case", async () => {
    createPersona(test.actors.member, input("Übersetzerin"));
    createPersona(test.actors.member, input("Analyst", { systemPrompt: "Rate MÄRKTE" }));
    const found = (find: string) =>
      pagePersonas(test.actors.viewer, { limit: 10, cursor: undefined, find }).then(({ personas }) =>
        personas.map(({ name }) => name),
      );
    expect([await found("übersetz"), await found("märkte"), await found("ANALYST")]).toEqual([
      ["Übersetzerin"],
      ["Analyst"],
      ["Analyst"],
    ]);
  });

  it("are offered the models that can be called, then the six and their own marked while no one serves them", () => {
    const offline = { id: "quarterdeck-offline", name: "Quarterdeck offline" };
    const made = createPersona(test.actors.member, input("Local", { defaultModel: "gone" }));
    const six = ["gpt-4o", "gpt-4", "gpt-3.5-turbo", "claude-3-opus", "claude-3-sonnet", "gemini-2.5-flash"];
    expect(offerPersonaModels(test.actors.member, [made])).toEqual([
      expect.objectContaining({ id: offline.id, name: offline.name }),
      ...["gone", ...six].map((id) => ({ id, name: id, provider: "", available: false })),
    ]);
    expect(nameModels(test.actors.viewer, [{ defaultModel: offline.id }, made])).toEqual({
      "quarterdeck-offline": "Quarterdeck offline",
    });
    expect(defaultPersonaModel(test.actors.member, false)).toBe("quarterdeck-offline");
  });

  it("take no tool that isn't there", () => {
    expect(() => createPersona(test.actors.member, input("Analyst", { tools: ["rm.rf"] }))).toThrow(
      'Tool "rm.rf" not found',
    );
    expect(listPersonas(test.actors.viewer)).toEqual([]);
  });

  it("take no tool that an admin switched off, but keep one that they have", () => {
    const made = createPersona(test.actors.member, input("Analyst", { tools: ["kv.set"] }));
    setToolPolicy(test.actors.admin, "kv.set", "never");
    expect(() => createPersona(test.actors.member, input("Writer", { tools: ["kv.set"] }))).toThrow(
      "kv.set is turned off. An admin can allow it under Settings › Advanced",
    );
    const updated = updatePersona(test.actors.member, made.id, { tools: ["kv.set", "kv.get"] });
    expect(updated.tools).toEqual(["kv.set", "kv.get"]);
  });

  it("are not for viewers to change", () => {
    const { id } = createPersona(test.actors.member, input("Analyst"));
    const refused = expect.objectContaining({ code: "forbidden" });
    expect(() => createPersona(test.actors.viewer, input("Mine"))).toThrow(refused);
    expect(() => updatePersona(test.actors.viewer, id, { name: "Mine" })).toThrow(refused);
    expect(() => deletePersona(test.actors.viewer, id)).toThrow(refused);
  });

  it("of another organisation are not found", () => {
    const { id } = createPersona(test.actors.member, input("Analyst"));
    const actor = stranger();
    const missing = expect.objectContaining({ code: "not_found" });
    expect(() => readPersona(actor, id)).toThrow(missing);
    expect(() => updatePersona(actor, id, { name: "Taken" })).toThrow(missing);
    expect(() => deletePersona(actor, id)).toThrow(missing);
    expect(findPersona(actor, "Analyst")).toBeUndefined();
    expect(listPersonas(actor)).toEqual([]);
    expect(readPersona(test.actors.viewer, id).name).toBe("Analyst");
  });

  it("are changed and deleted in their organization only, whatever id a statement is given", () => {
    const { id } = createPersona(test.actors.member, input("Analyst"));
    const { orgId } = stranger();
    transaction((tx) => {
      const row = findPersonaRow(tx, { ...test.actors.admin, seesAll: true }, id);
      if (row) updatePersonaRow(tx, { ...row, orgId, name: "Taken" });
      deletePersonaRow(tx, orgId, id);
    });
    expect(readPersona(test.actors.member, id).name).toBe("Analyst");
  });

  it("leave an entry for each change and none for a refused one", () => {
    const { id } = createPersona(test.actors.member, input("Analyst"));
    updatePersona(test.actors.member, id, { name: "Writer", mode: "research", systemPrompt: "Be brief." });
    expect(() => createPersona(test.actors.member, input("Writer"))).toThrow();
    deletePersona(test.actors.admin, id);
    expect(
      listAudit(test.actors.admin, { limit: 10 }).entries.map(({ action, resource, details, userId }) => [
        action,
        resource,
        details,
        userId,
      ]),
    ).toEqual([
      ["persona.deleted", `persona:${id}`, { name: "Writer" }, "usr_admin"],
      ["persona.updated", `persona:${id}`, { name: "Writer" }, "usr_member"],
      ["persona.created", `persona:${id}`, { name: "Analyst" }, "usr_member"],
    ]);
    expect(listAudit(test.actors.admin, { limit: 10 }).entries[1]).toMatchObject({
      before: { name: "Analyst", mode: "default" },
      after: { name: "Writer", mode: "research", systemPrompt: "[redacted]" },
    });
  });
});
