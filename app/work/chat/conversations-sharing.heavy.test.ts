import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { getValue } from "~/ai/kv/kv.service.server";
import { builtInTools, setToolPolicy } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { makeCollection } from "../../../tests/support/search-collection";
import { allowAnswers, findActiveGeneration } from "./answer/active-generation.server";
import { stopAllAnswers } from "./answer/answers.server";
import { regenerateAnswer } from "./branches.service.server";
import type { ToolPart } from "./chat.schema";
import { sendMessage } from "./chat.service.server";
import { changeSharing, readConversation } from "./conversations.service.server";

const MODEL = "quarterdeck-offline";
const REFUSED = /^Not run: this conversation contains passages from restricted documents, and /;

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
let member: Actor;
let admin: Actor;
let restricted: string;
let open: string;

beforeEach(async () => {
  upstream = await startMockServer((_, response) => response.end("Received."));
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${upstream.port}` });
  ({ member, admin } = test.actors);
  // Without the question that passages of documents lead to.
  for (const tool of ["kv.set", "http.request", "web.fetch"]) setToolPolicy(admin, tool, "always");
  const collection = makeCollection();
  const row = { visibility: "named" as const, createdBy: "usr_member" };
  restricted = collection.add({ name: "Plan", chunks: ["Layoffs are announced in May."], row }).documentId;
  open = collection.add({ name: "Menu", chunks: ["Soup is served on Monday."] }).documentId;
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  test.close();
  await upstream.close();
});
afterAll(closeWorkerPools);

/** Sends a message and waits for its answer. @returns the tool call of the answer, if it has one */
async function ask(content: string, conversationId?: string) {
  const begun = await sendMessage(member, {
    messages: [{ role: "user", content }],
    model: MODEL,
    tools: builtInTools(),
    maxSteps: 3,
    ...(conversationId ? { conversationId } : {}),
  });
  return { id: begun.conversationId, call: await callOf(begun.conversationId) };
}

async function callOf(id: string): Promise<ToolPart | undefined> {
  await findActiveGeneration(id)?.done;
  return readConversation(member, id)
    .messages.at(-1)
    ?.parts.find((part) => part.type === "tool");
}

const stateOf = (id: string) => {
  const { restricted: isRestricted, sharingAllowed } = readConversation(member, id);
  return { isRestricted, sharingAllowed };
};
const makeRestricted = (id: string) =>
  rawDatabase().prepare("UPDATE documents SET visibility = 'named' WHERE id = ?").run(id);

describe("a conversation with passages of restricted documents", () => {
  it("is marked by a search, but not by documents that everyone can see", async () => {
    const seen = await ask("When is soup served?");
    expect(seen.call).toMatchObject({ toolName: "qdrant.search", state: "done" });
    expect(stateOf(seen.id)).toEqual({ isRestricted: false, sharingAllowed: false });
    expect((await ask("kv.set key=menu value=soup", seen.id)).call).toMatchObject({ state: "done" });
    await ask("When are layoffs announced?", seen.id);
    expect(stateOf(seen.id)).toEqual({ isRestricted: true, sharingAllowed: false });
  });

  it("refuses tools that write publicly or send outside, with the reason, and runs the others", async () => {
    const { id } = await ask("When are layoffs announced?");
    for (const [request, reason] of [
      ["kv.set key=plan value=May", "kv.set writes where everyone in the organization can read."],
      [`http.request GET http://127.0.0.1:${upstream.port}/?may`, "http.request sends data outside."],
      [`web.fetch http://127.0.0.1:${upstream.port}/?may`, "web.fetch sends data outside."],
      [`ingest.queue url=http://127.0.0.1:${upstream.port}/?may`, "ingest.queue sends data outside."],
    ] as const) {
      const { call } = await ask(request, id);
      expect(call, request).toMatchObject({ state: "failed", error: expect.stringMatching(REFUSED) });
      expect(call?.error).toContain(reason);
    }
    expect(upstream.requests).toEqual([]);
    expect(getValue(member, "plan")).toBeUndefined();
    expect((await ask("kv.get plan", id)).call).toMatchObject({ state: "done", output: { found: false } });
    const queued = await ask('ingest.queue {"text": "Layoffs in May."}', id);
    expect(queued.call).toMatchObject({
      state: "done",
      output: { note: expect.stringContaining("Visible only to the person who asked") },
    });
  });

  it("stays marked when the document is shared with everyone or the answer is regenerated", async () => {
    const { id } = await ask("When are layoffs announced?");
    rawDatabase().prepare("UPDATE documents SET visibility = 'organisation'").run();
    expect((await ask("kv.set key=plan value=May", id)).call).toMatchObject({ state: "failed" });
    await regenerateAnswer(member, id, { model: MODEL, tools: builtInTools(), maxSteps: 3 });
    expect(await callOf(id)).toMatchObject({ state: "failed", error: expect.stringMatching(REFUSED) });
  });

  it.each([
    ["restricted", makeRestricted],
    [
      "deleted",
      (id: string) => rawDatabase().prepare("UPDATE documents SET deleted_at = 1 WHERE id = ?").run(id),
    ],
    [
      "gone",
      (id: string) =>
        rawDatabase().pragma("foreign_keys = OFF") &&
        rawDatabase().prepare("DELETE FROM documents WHERE id = ?").run(id),
    ],
  ])("is also marked if its document was %s later", async (_, change) => {
    const { id } = await ask("When is soup served?");
    change(open);
    expect((await ask("kv.set key=menu value=soup", id)).call).toMatchObject({
      state: "failed",
      error: expect.stringMatching(REFUSED),
    });
    expect(stateOf(id).isRestricted).toBe(true);
  });

  it("includes conversations with a client's history", async () => {
    const { conversationId } = await sendMessage(member, {
      messages: [
        { role: "user", content: "When are layoffs?" },
        { role: "assistant", content: `In May [1](/rag/${restricted}?from=0&to=29&version=1#passage).` },
        { role: "user", content: "kv.set key=plan value=May" },
      ],
      model: MODEL,
      tools: builtInTools(),
      maxSteps: 3,
    });
    expect(await callOf(conversationId)).toMatchObject({ error: expect.stringMatching(REFUSED) });
    expect(stateOf(conversationId).isRestricted).toBe(true);
  });
});

describe("permission to share", () => {
  it("allows tools until it is withdrawn, and is audited", async () => {
    const { id } = await ask("When are layoffs announced?");
    expect((await ask("kv.set key=plan value=May", id)).call).toMatchObject({ state: "failed" });
    expect(changeSharing(member, id, { sharingAllowed: true })).toMatchObject({
      restricted: true,
      sharingAllowed: true,
    });
    changeSharing(member, id, { sharingAllowed: true });
    await regenerateAnswer(member, id, { model: MODEL, tools: builtInTools(), maxSteps: 3 });
    expect(await callOf(id)).toMatchObject({ toolName: "kv.set", state: "done" });
    expect(getValue(member, "plan")).toMatchObject({ value: "May" });
    expect((await ask(`web.fetch http://127.0.0.1:${upstream.port}/?may`, id)).call).toMatchObject({
      state: "done",
    });
    const queued = await ask('ingest.queue {"text": "Layoffs in May."}', id);
    expect(queued.call?.output).toMatchObject({
      note: expect.stringContaining("Visible only to the person who asked"),
    });
    changeSharing(member, id, { sharingAllowed: false });
    expect((await ask("kv.set key=plan value=June", id)).call).toMatchObject({ state: "failed" });
    expect(getValue(member, "plan")).toMatchObject({ value: "May" });
    const entries = listAudit(test.actors.owner, { limit: 50 }).entries.filter(({ action }) =>
      action.startsWith("conversation.sharing"),
    );
    expect(entries).toMatchObject([
      { action: "conversation.sharing_withdrawn", resource: `conversation:${id}` },
      { action: "conversation.sharing_allowed", resource: `conversation:${id}` },
    ]);
  });

  it("requires the owner and a restricted conversation, and applies to it only", async () => {
    const { id } = await ask("When are layoffs announced?");
    expect(() => changeSharing(admin, id, { sharingAllowed: true })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(() => changeSharing(test.actors.viewer, id, { sharingAllowed: true })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    const other = await ask("hello");
    expect(() => changeSharing(member, other.id, { sharingAllowed: true })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    changeSharing(member, id, { sharingAllowed: true });
    await ask("When are layoffs announced?", other.id);
    expect((await ask("kv.set key=plan value=May", other.id)).call).toMatchObject({ state: "failed" });
  });
});
