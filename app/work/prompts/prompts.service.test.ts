import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { liveVersion } from "~/platform/events/events.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { deletePromptRow, findPromptRow, updatePromptRow } from "./prompts.repo.server";
import { PromptInput } from "./prompts.schema";
import {
  createPrompt,
  deletePrompt,
  fillStoredPrompt,
  pagePrompts,
  readPrompt,
  updatePrompt,
} from "./prompts.service.server";

describe("prompts", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const make = (by: "member" | "admin", input: Partial<PromptInput> = {}) =>
    createPrompt(test.actors[by], PromptInput.parse({ name: "Reply", text: "Answer {{name}}", ...input }));
  const namesFor = (as: "viewer" | "member" | "admin", find = "") =>
    pagePrompts(test.actors[as], { find, limit: 10, cursor: undefined }).then(({ prompts }) =>
      prompts.map(({ name }) => name),
    );

  it("of one's own are hidden from everyone else, admins included", async () => {
    const { id } = make("member");
    const { admin, member } = test.actors;
    const missing = expect.objectContaining({ code: "not_found" });
    expect(await namesFor("member")).toEqual(["Reply"]);
    expect(await namesFor("admin")).toEqual([]);
    expect(() => readPrompt(admin, id)).toThrow(missing);
    expect(() => updatePrompt(admin, id, { name: "Mine" })).toThrow(missing);
    expect(() => deletePrompt(admin, id)).toThrow(missing);
    updatePrompt(member, id, { shared: true });
    expect(await namesFor("viewer")).toEqual(["Reply"]);
  });

  it("that are shared are changed by their author and admins", () => {
    const shared = make("admin", { shared: true });
    const own = make("member", { shared: true });
    const { admin, member, viewer } = test.actors;
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => updatePrompt(member, shared.id, { name: "Mine" })).toThrow(forbidden);
    expect(() => deletePrompt(viewer, shared.id)).toThrow(forbidden);
    expect(() => createPrompt(viewer, PromptInput.parse({ name: "A", text: "B" }))).toThrow(forbidden);
    expect(updatePrompt(admin, own.id, { name: "Better" })).toEqual(
      expect.objectContaining({ name: "Better", author: { id: "usr_member", name: "member" } }),
    );
    expect(deletePrompt(admin, own.id).name).toBe("Better");
  });

  it("are changed and deleted in their organization only, whatever id a statement is given", () => {
    const { member } = test.actors;
    const { id } = make("member");
    transaction((tx) => {
      const row = findPromptRow(tx, member, id);
      if (row) updatePromptRow(tx, { ...row, orgId: "org_other", name: "Taken" });
      deletePromptRow(tx, "org_other", id);
    });
    expect(readPrompt(member, id).name).toBe("Reply");
  });

  it("announce each change to open pages", () => {
    const versions = [liveVersion()];
    const { id } = make("member");
    versions.push(liveVersion());
    updatePrompt(test.actors.member, id, { name: "Answer" });
    versions.push(liveVersion());
    deletePrompt(test.actors.member, id);
    versions.push(liveVersion());
    expect(new Set(versions).size).toBe(4);
  });

  it("aren't overwritten by an edit of an older version", () => {
    const { admin } = test.actors;
    const { id, updatedAt } = make("admin", { shared: true });
    const saved = updatePrompt(admin, id, { text: "Reply to {{name}}" }, updatedAt);
    const entered = { name: "Reply", text: "Thank {{name}}", shared: true };
    expect(() => updatePrompt(admin, id, entered, updatedAt)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining("What you entered differs in: Prompt."),
      }),
    );
    expect(readPrompt(admin, id).text).toBe("Reply to {{name}}");
    expect(updatePrompt(admin, id, entered, saved.updatedAt).text).toBe("Thank {{name}}");
  });

  it("are found by name and text, page by page", async () => {
    for (const name of ["Alpha", "Beta", "Gamma"]) make("member", { name, text: `About ${name}` });
    expect(await namesFor("member", "about be")).toEqual(["Beta"]);
    const first = await pagePrompts(test.actors.member, { find: "", limit: 2, cursor: undefined });
    const second = await pagePrompts(test.actors.member, { find: "", limit: 2, cursor: first.next });
    expect([...first.prompts, ...second.prompts].map(({ name }) => name)).toEqual(["Alpha", "Beta", "Gamma"]);
  });

  it("are filled in with values in the order of their variables", () => {
    const { id } = make("member", { text: "{{who}}, be {{tone=kind}}: {{who}}" });
    expect(fillStoredPrompt(test.actors.member, id, ["Ana"])).toBe("Ana, be kind: Ana");
    expect(fillStoredPrompt(test.actors.member, id, ["Ana", " "])).toBe("Ana, be kind: Ana");
    expect(() => fillStoredPrompt(test.actors.member, id, [" ", "terse"])).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: 'Fill in "who".',
        fields: { "values[0]": ['Fill in "who"'] },
      }),
    );
  });

  it("aren't filled with values that would make them very long", () => {
    const { id } = make("member", { text: "{{a}}".repeat(100) });
    expect(fillStoredPrompt(test.actors.member, id, ["x".repeat(2000)])).toHaveLength(200_000);
    expect(() => fillStoredPrompt(test.actors.member, id, ["x".repeat(2001)])).toThrow(/200,000 characters/);
  });

  it.each([
    [{ name: " " }, "Enter a name"],
    [{ name: "a\nb" }, "Remove line breaks and control characters"],
    [{ text: " \n" }, "Enter a prompt"],
    [{ text: "x".repeat(20_001) }, "Use at most 20,000 characters"],
    [{ text: Array.from({ length: 21 }, (_, n) => `{{v${n}}}`).join() }, "Use at most 20 variables"],
  ])("refuse %j", (input, message) => {
    const parsed = PromptInput.safeParse({ name: "Reply", text: "x", ...input });
    expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it("leave an entry for each change, without their text", () => {
    const { id } = make("member", { text: "Secret" });
    updatePrompt(test.actors.member, id, { text: "More secret" });
    deletePrompt(test.actors.member, id);
    const { entries } = listAudit(test.actors.admin, { limit: 10 });
    expect(entries.map(({ action }) => action)).toEqual([
      "prompt.deleted",
      "prompt.updated",
      "prompt.created",
    ]);
    expect(JSON.stringify(entries)).not.toContain("ecret");
  });
});
