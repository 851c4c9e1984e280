import { afterEach, beforeEach, expect, it } from "vitest";
import { countTokens } from "~/core/count-tokens";
import { db, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { providers, usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { allowAnswers, findActiveGeneration } from "../answer/active-generation.server";
import { stopAllAnswers } from "../answer/answers.server";
import { branchConversation, regenerateAnswer } from "../branches.service.server";
import { ChatRequest } from "../chat.schema";
import { readBack, sendMessage } from "../chat.service.server";
import { readConversation } from "../conversations.service.server";
import { planPrompt, prepare } from "../plan-answer.server";
import { listSummaries } from "./summaries.repo.server";
import { editSummary, undoSummary } from "./summaries.service.server";

const WORDS = "ships and ropes ".repeat(230);

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
/** What the server answers to calls for a summary: a text, nothing, or a refusal. */
let written: string | number;
/** What happens while a summary is written. */
let meanwhile: () => void;
beforeEach(async () => {
  meanwhile = () => undefined;
  test = openTestDatabase();
  written = "They spoke of ships, and of /rag/doc_1.";
  upstream = await startMockServer((request, response) => {
    const isSummary = request.text.includes("You write the summary");
    if (isSummary) meanwhile();
    const content = isSummary ? written : "An answer.";
    if (typeof content === "number") {
      response.writeHead(content, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
      return;
    }
    const choice = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${choice({ role: "assistant", content }, null)}${choice({}, "stop")}data: [DONE]\n\n`);
  });
  const { orgId } = test.actors.owner;
  const config = { baseUrl: `${upstream.origin}/v1` };
  const at = { createdAt: 1, updatedAt: 1 };
  const models = [{ id: "small", maxTokens: 4096 }];
  const row = { id: "prv_1", orgId, type: "custom", displayName: "Lab", enabled: true, priority: 0 };
  transaction((tx) =>
    tx
      .insert(providers)
      .values({ ...row, ...at, config, models })
      .run(),
  );
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  await upstream.close();
  test.close();
});

interface Body {
  messages: { role: string; content: string }[];
}

const bodies = () => upstream.requests.map(({ body }) => JSON.parse(body) as Body);
const lastBody = () => JSON.stringify(bodies().at(-1)?.messages);
const calls = () => upstream.requests.length;

async function ask(content: string, conversationId?: string, earlier: string[] = []): Promise<string> {
  const messages = [
    ...earlier.flatMap((one) => [
      { role: "user", content: one },
      { role: "assistant", content: `About that: ${WORDS}` },
    ]),
    { role: "user", content },
  ];
  const begun = await sendMessage(
    test.actors.owner,
    ChatRequest.parse({ model: "small", messages, tools: [], conversationId }),
  );
  await findActiveGeneration(begun.conversationId)?.done;
  return begun.conversationId;
}

const read = (id: string) => readConversation(test.actors.owner, id);
const EARLIER = ["First question", "Second question", "Third question", "Fourth question", "Fifth question"];

it("sends a summary in place of older turns, which its owner edits and undoes", async () => {
  const id = await ask("And now?", undefined, EARLIER);
  const [first, second, answer] = bodies();
  expect(calls()).toBe(3);
  expect(JSON.stringify(first?.messages)).toContain("Person:\\nFirst question");
  expect(JSON.stringify(second?.messages)).toContain("The summary of what came before:\\n\\nThey spoke of");
  const sent = JSON.stringify(answer?.messages);
  expect(sent).toContain("They spoke of ships");
  expect(sent).not.toContain("First question");
  expect(sent).toContain("Fifth question");
  expect(sent).toContain("And now?");
  const stored = read(id);
  expect(stored.summary).toMatchObject({ text: written, model: "small", edited: false });
  expect(stored.messages.at(-1)?.metrics?.context).toMatchObject({ length: 4096 });
  expect(stored.messages.at(-1)?.metrics?.trimmed).toBeUndefined();
  const usage = db().select().from(usageRecords).all();
  expect(usage.map(({ conversationId, outcome }) => [conversationId, outcome])).toEqual([
    [id, "ok"],
    [id, "ok"],
    [id, "ok"],
  ]);

  // The next turn is sent beside the same summary, as its owner changed it.
  const { messageId = "" } = stored.summary ?? {};
  editSummary(test.actors.owner, id, messageId, { text: "They spoke of anchors." });
  expect(read(id).summary).toMatchObject({ text: "They spoke of anchors.", edited: true });
  await ask("Go on", id);
  expect(calls()).toBe(4);
  expect(lastBody()).toContain("They spoke of anchors.");
  // A restriction of documents that the summarized messages quote is still seen.
  const copy = read(await branchConversation(test.actors.owner, id, read(id).activeMessageId ?? ""));
  expect(copy.summary).toMatchObject({ text: "They spoke of anchors." });
  expect(copy.summary?.messageId).not.toBe(messageId);

  expect(() => editSummary(test.actors.admin, id, messageId, { text: "x" })).toThrow("This summary is gone");
  undoSummary(test.actors.owner, id, messageId);
  expect(read(id).summary).toBeNull();
  expect(() => undoSummary(test.actors.owner, id, messageId)).toThrow("This summary is gone");
  const actions = listAudit(test.actors.owner, { limit: 20 }).entries.map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining([
      "conversation.summarized",
      "conversation.summary_edited",
      "conversation.summary_undone",
    ]),
  );
});

it("goes on without a summary that fails, with what fits and the reason", async () => {
  written = 400;
  const id = await ask("And now?", undefined, EARLIER);
  const answer = read(id).messages.at(-1);
  expect(answer?.status).toBe("complete");
  expect(answer?.metrics?.context?.problem).toContain("Lab");
  expect(answer?.metrics?.trimmed?.contextLength).toBe(4096);
  expect(lastBody()).toContain("Fifth question");
  expect(read(id).summary).toBeNull();
});

it("takes no empty summary", async () => {
  written = " ";
  const id = await ask("And now?", undefined, EARLIER);
  expect(read(id).messages.at(-1)?.metrics?.context?.problem).toBe("small wrote no summary.");
});

it("keeps the documents that summarized messages quote, for what tools may share", async () => {
  const id = await ask("And now?", undefined, [`See /rag/doc_secret ${WORDS}`, ...EARLIER.slice(1)]);
  const quoted = () => listSummaries(db(), id).map(({ documents }) => documents);
  expect(quoted()).toEqual([["doc_secret"]]);
  // Any number of them fills no context.
  expect(lastBody()).not.toContain("doc_secret");
  const before = calls();
  await regenerateAnswer(test.actors.owner, id, { model: "small", tools: [], maxSteps: 5 });
  await findActiveGeneration(id)?.done;
  expect(calls()).toBe(before + 1);
  const [question, ...earlier] = readBack(read(id).messages.at(-2)?.id ?? "");
  if (!question) throw new Error("The question is missing.");
  const prepared = prepare(test.actors.owner, { model: "small", tools: [], maxSteps: 5 });
  const plan = await planPrompt(test.actors.owner, prepared, { conversationId: id, question, earlier });
  expect(plan.summarized).toEqual(["doc_secret"]);
});

/** Leaves no room for the turns before it. */
const LONG = `Go on with ${WORDS.repeat(4)}`;

it("takes up a summary that its owner made long as messages, within the context", async () => {
  const id = await ask("And now?", undefined, EARLIER);
  const text = "anchors ".repeat(2400).trim();
  editSummary(test.actors.owner, id, read(id).summary?.messageId ?? "", { text });
  const before = calls();
  await ask(LONG, id);
  const [first, second] = bodies().slice(before);
  expect(JSON.stringify(first?.messages)).toContain("The messages to summarize:\\n\\nanchors");
  expect(countTokens(JSON.stringify(first?.messages))).toBeLessThan(3072);
  expect(JSON.stringify(second?.messages)).toContain("The summary of what came before:\\n\\nThey spoke of");
  expect(read(id).summary?.text).toBe(written);
});

it("stores no summary over one that its owner changes meanwhile", async () => {
  const id = await ask("And now?", undefined, EARLIER);
  const messageId = read(id).summary?.messageId ?? "";
  const before = calls();
  meanwhile = () => editSummary(test.actors.owner, id, messageId, { text: "They spoke of anchors." });
  await ask(LONG, id);
  expect(calls()).toBeGreaterThan(before + 1);
  expect(read(id).messages.at(-1)?.status).toBe("complete");
  expect(read(id).summary).toMatchObject({ messageId, text: "They spoke of anchors." });
});
