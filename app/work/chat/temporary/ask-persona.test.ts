import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import type { Delegation } from "~/ai/tools/tool.shared";
import { db, transaction } from "~/core/db.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { conversations, messages, modelSettings, usageRecords } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { allowAnswers } from "../answer/active-generation.server";
import { stopAllAnswers } from "../answer/answers.server";
import { ASK_PERSONA } from "../chat-choices.shared";
import { prepare } from "../plan-answer.server";

describe("a persona as a tool of another", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    const row = { orgId: ORG_ID, title: "", model: "m", createdAt: 1, updatedAt: 1 };
    transaction((tx) =>
      tx
        .insert(conversations)
        .values({ ...row, id: "con_1", userId: "usr_member" })
        .run(),
    );
  });
  afterEach(async () => {
    await stopAllAnswers();
    allowAnswers();
    test.close();
  });

  const make = (name: string, more: Partial<PersonaInput> = {}, by: "member" | "admin" = "member") =>
    createPersona(
      test.actors[by],
      PersonaInput.parse({ name, defaultModel: OFFLINE_MODEL, tools: ["kv.get", "kv.set"], ...more }),
    ).id;
  const plan = (persona: string, parent?: Delegation) =>
    prepare(test.actors.member, { persona, maxSteps: 1, parent }).plan;
  const ask = (delegation: Delegation | undefined, persona: string, question: string, signal?: AbortSignal) =>
    callTool(
      test.actors.member,
      ASK_PERSONA,
      { persona, question },
      {
        source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
        signal: signal ?? new AbortController().signal,
        approval: "none",
        delegation,
      },
    );
  const chain = () => {
    const last = make("Last", { assistants: [] });
    const inner = make("Inner", { assistants: [last] });
    const middle = make("Middle", { assistants: [inner] });
    return make("Outer", { assistants: [middle] });
  };

  it("answers with its own reading tools, and counts to the conversation of who asked", async () => {
    const desk = make("Desk");
    const { delegation } = plan(make("Lead", { assistants: [desk] }));
    expect(await ask(delegation, "desk", "kv.get greeting")).toMatchObject({
      ok: true,
      output: { persona: "Desk", answer: expect.stringContaining("greeting"), fromOutside: false },
    });
    await ask(delegation, "Desk", "kv.set greeting hello");
    const calls = db().select().from(usageRecords).all();
    const models = calls.filter(({ model }) => model === OFFLINE_MODEL);
    expect(models.length).toBeGreaterThan(1);
    for (const { conversationId, personaId, userId } of models)
      expect([conversationId, personaId, userId]).toEqual(["con_1", desk, "usr_member"]);
    expect(calls.some(({ tool }) => tool === "kv.set")).toBe(false);
    expect(db().select().from(messages).all()).toEqual([]);
  });

  it("is asked only if its asker's person sees it", async () => {
    const hidden = make("Hidden", { visibility: "own" }, "admin");
    const lead = make("Lead", { assistants: [make("Desk"), hidden] }, "admin");
    const { delegation } = plan(lead);
    expect(delegation?.personas.map(({ name }) => name)).toEqual(["Desk"]);
    expect(await ask(delegation, "Hidden", "Hello")).toMatchObject({ ok: false, code: "not_found" });
    expect(await ask(undefined, "Desk", "Hello")).toMatchObject({ ok: false, code: "forbidden" });
    expect(() => make("Other", { assistants: [hidden] })).toThrow("Choose personas that you can see");
  });

  it("asks others in turn, but no deeper than two", () => {
    const outer = plan(chain());
    const middle = plan("Middle", outer.delegation);
    const inner = plan("Inner", middle.delegation);
    const has = (one: typeof outer) => one.tools.some(({ name }) => name === ASK_PERSONA);
    expect([outer, middle, inner].map(has)).toEqual([true, true, false]);
  });

  it("isn't asked once its budget, or that of an answer above, is used up", async () => {
    const outer = plan(chain());
    const { delegation } = plan("Middle", outer.delegation);
    if (!outer.delegation || !delegation) throw new Error("Nobody can be asked.");
    expect(await ask(delegation, "Inner", "Hello")).toMatchObject({ ok: true });
    outer.delegation.spentMicros = outer.delegation.limitMicros;
    expect(await ask(delegation, "Inner", "Hello")).toMatchObject({ ok: false, code: "budget_exceeded" });
  });

  it("stops between two model calls of its answer, once the budget is used up", async () => {
    // The built-in model is free unless an admin gives it a price.
    const price = {
      orgId: ORG_ID,
      modelId: OFFLINE_MODEL,
      inputCost: 1,
      outputCost: 1,
      createdAt: 1,
      updatedAt: 1,
    };
    transaction((tx) => tx.insert(modelSettings).values(price).run());
    const { delegation } = plan(make("Lead", { assistants: [make("Desk")], assistantBudget: 0.01 }));
    expect(await ask(delegation, "Desk", "kv.get greeting")).toMatchObject({
      ok: true,
      output: { note: "It was stopped at the budget of this answer." },
    });
    const calls = db().select().from(usageRecords).all();
    const [call, ...others] = calls.filter(({ model }) => model === OFFLINE_MODEL);
    expect(others).toEqual([]);
    // What was spent stands once in the budget, and is what usage says.
    expect(delegation?.spentMicros).toBe(call?.costMicros);
    expect(await ask(delegation, "Desk", "Hello")).toMatchObject({ ok: false, code: "budget_exceeded" });
  });

  it("stops with the answer that asked", async () => {
    const { delegation } = plan(make("Lead", { assistants: [make("Desk")] }));
    const controller = new AbortController();
    const asked = ask(delegation, "Desk", "a long story ".repeat(500), controller.signal);
    controller.abort();
    expect(await asked).toMatchObject({ ok: false });
    await delegation?.last;
    expect(
      db()
        .select()
        .from(usageRecords)
        .all()
        .filter(({ outcome, model }) => model === OFFLINE_MODEL && outcome === "ok"),
    ).toEqual([]);
  });
});
