import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AskedQuestion, QuestionEnd } from "~/ai/tools/question.schema";
import { QUESTION_MINUTES } from "~/ai/tools/question.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import { registerToolSource } from "~/ai/tools/tools.service.server";
import { Countdown } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { ActiveGeneration, allowAnswers, findActiveGeneration } from "../answer/active-generation.server";
import { stopAllAnswers } from "../answer/answers.server";
import type { ToolPart } from "../chat.schema";
import { sendMessage, stopAnswer } from "../chat.service.server";
import { readConversation } from "../conversations.service.server";
import { askPerson } from "./ask-person.server";
import { answerByForm, answerQuestion } from "./questions.service.server";

const QUESTION: AskedQuestion = {
  asker: "Lab",
  message: "Who are you?",
  fields: [
    { name: "name", label: "Name", kind: "text", required: true, max: 20 },
    { name: "age", label: "Age", kind: "integer", required: false, min: 0 },
    { name: "code", label: "Code", kind: "text", required: false, pattern: "^(a+)+$" },
  ],
};

let test: ReturnType<typeof openTestDatabase>;
let member: Actor;
let remove: () => void;
/** What the tool got. */
let ended: (QuestionEnd | "nobody")[];

beforeEach(() => {
  test = openTestDatabase();
  ({ member } = test.actors);
  ended = [];
  const tool: Tool = {
    name: "lab.greet",
    title: "Greet",
    description: "Greets.",
    effect: "writes",
    input: { type: "object", properties: { key: { type: "string" } } },
    timeoutMs: 60_000,
    outputLimit: 1000,
    run: async (_, { ask }) => {
      const end = (await ask?.(QUESTION)) ?? "nobody";
      ended.push(end);
      return { end };
    },
  };
  remove = registerToolSource({ list: () => [tool] });
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  remove();
  test.close();
});
afterAll(closeWorkerPools);

async function send(actor = member): Promise<string> {
  const { conversationId } = await sendMessage(actor, {
    messages: [{ role: "user", content: "lab.greet key=a" }],
    model: "quarterdeck-offline",
    tools: ["lab.greet"],
    maxSteps: 2,
  });
  return conversationId;
}
const answerOf = (id: string) => readConversation(member, id).messages.at(-1);
const callOf = (id: string) => answerOf(id)?.parts.find((part): part is ToolPart => part.type === "tool");
async function opened(id: string): Promise<string> {
  await expect.poll(() => callOf(id)?.questions).toHaveLength(1);
  return callOf(id)?.questions?.[0]?.id ?? "";
}
const trail = () =>
  listAudit(test.actors.admin, { limit: 20 })
    .entries.filter(({ action }) => action.startsWith("conversation.question"))
    .map(({ action, details }) => ({ action, details }));
const details = { tool: "lab.greet", asker: "Lab" };

describe("a question of a running call", () => {
  it("is shown and goes on with the answer, of which the audit trail has no values", async () => {
    const id = await send();
    const questionId = await opened(id);
    expect(answerOf(id)).toMatchObject({ status: "streaming", waiting: "Waiting for your answer…" });
    expect(callOf(id)).toMatchObject({ state: "running", questions: [{ ...QUESTION, id: questionId }] });
    const content = { name: "Ada", age: 36, extra: "no" };
    const refused = answerQuestion(member, id, { questionId, action: "accept", content: { age: -1 } });
    await expect(refused).rejects.toThrow(
      expect.objectContaining({
        code: "invalid",
        fields: { "content.name": ["Enter a value"], "content.age": ["Enter a number: at least 0"] },
      }),
    );
    const codes: [string, string][] = [
      ["b", "Enter text that fits the pattern"],
      [`${"a".repeat(60)}b`, "This takes too long to check. Enter another text"],
    ];
    for (const [code, message] of codes)
      await expect(
        answerQuestion(member, id, { questionId, action: "accept", content: { ...content, code } }),
      ).rejects.toThrow(expect.objectContaining({ fields: { "content.code": [message] } }));
    await answerQuestion(member, id, { questionId, action: "accept", content });
    await findActiveGeneration(id)?.done;
    const end = { outcome: "accepted", content: { name: "Ada", age: 36 } };
    expect(ended).toEqual([end]);
    expect(answerOf(id)?.status).toBe("complete");
    expect(callOf(id)).toMatchObject({ state: "done", questions: [{ id: questionId, end }] });
    expect(trail()).toEqual([
      { action: "conversation.question_answered", details: { ...details, outcome: "accepted" } },
    ]);
    await expect(answerQuestion(member, id, { questionId, action: "decline" })).rejects.toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
  });

  it("is answered by the texts of a form, with errors at its controls", async () => {
    const id = await send();
    const questionId = await opened(id);
    await expect(
      answerByForm(member, id, { questionId, action: "accept", "field-1": "old" }),
    ).rejects.toThrow(
      expect.objectContaining({
        fields: { "field-0": ["Enter a value"], "field-1": ["Enter a number"] },
      }),
    );
    await answerByForm(member, id, { questionId, action: "accept", "field-0": "Ada", "field-1": "36" });
    await findActiveGeneration(id)?.done;
    expect(ended).toEqual([{ outcome: "accepted", content: { name: "Ada", age: 36 } }]);
  });

  it.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ] as const)("can be refused by %s", async (action, outcome) => {
    const id = await send();
    await answerQuestion(member, id, { questionId: await opened(id), action });
    await findActiveGeneration(id)?.done;
    expect(ended).toEqual([{ outcome }]);
    expect(trail()).toEqual([{ action: "conversation.question_declined", details: { ...details, outcome } }]);
  });

  it("notifies its owner if no page shows it, and nobody else can answer", async () => {
    const id = await send();
    const questionId = await opened(id);
    await expect
      .poll(() => pageNotifications(member, { limit: 5, unread: false }).notifications)
      .toEqual([expect.objectContaining({ title: "Lab asks you something", link: `/chat/${id}` })]);
    await expect(answerQuestion(test.actors.owner, id, { questionId, action: "decline" })).rejects.toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
  });

  it("isn't asked where no person is before the answer", async () => {
    const token: Actor = { ...member, kind: "token", scopes: ["chat.use", "screens.read"], tokenId: "tok_1" };
    const id = await send(token);
    await findActiveGeneration(id)?.done;
    expect(ended).toEqual(["nobody"]);
  });

  it("ends with a stop of the answer", async () => {
    const id = await send();
    const questionId = await opened(id);
    await stopAnswer(member, id);
    expect(answerOf(id)?.status).toBe("stopped");
    expect(callOf(id)?.state).toBe("failed");
    expect(ended).toEqual([{ outcome: "withdrawn" }]);
    await expect(answerQuestion(member, id, { questionId, action: "decline" })).rejects.toThrow(
      /no longer open/,
    );
  });

  it("ends with the console, and its call is offered to run again", async () => {
    const id = await send();
    const questionId = await opened(id);
    await stopAllAnswers();
    allowAnswers();
    expect(answerOf(id)?.status).toBe("waiting");
    expect(callOf(id)).toMatchObject({ state: "waiting", approval: { reason: "interrupted" } });
    await expect(answerQuestion(member, id, { questionId, action: "decline" })).rejects.toThrow(
      /no longer open/,
    );
  });
});

it("waits ten minutes for an answer, while the answer's own time stands still", async () => {
  vi.useFakeTimers();
  try {
    const log = { add: () => undefined, flushTogether: async () => true };
    const live = new ActiveGeneration("con_1", "msg_1", { ...member, userId: "" } as Actor, 0, log);
    const end = vi.fn();
    live.countdown = new Countdown(60_000, end);
    const call = { toolCallId: "c", toolName: "lab.greet" };
    const asked = askPerson(live, call, QUESTION, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(QUESTION_MINUTES * 60_000 - 1);
    expect(live.questions.size).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toEqual({ outcome: "expired" });
    expect([live.questions.size, end.mock.calls.length]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(end).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
