import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saveGuardrails } from "~/ai/guardrails/guardrails.service.server";
import { db } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { messages } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { allowAnswers, findActiveGeneration } from "./answer/active-generation.server";
import { stopAllAnswers } from "./answer/answers.server";
import { editMessage, regenerateAnswer } from "./branches.service.server";
import { ChatRequest } from "./chat.schema";
import { readBack, sendMessage, stopAnswer } from "./chat.service.server";
import { newClientId } from "./components/new-client-id";
import { conversationOfMessage, readConversation } from "./conversations.service.server";

describe("a message with an id of its sender's", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(async () => {
    await stopAllAnswers();
    allowAnswers();
    test.close();
  });

  it("is found by its sender only, and can't be sent twice", async () => {
    const messageId = newClientId();
    const input = ChatRequest.parse({
      messageId,
      messages: [{ role: "user", content: "Hello" }],
      model: "quarterdeck-offline",
    });
    expect(conversationOfMessage(test.actors.member, messageId)).toBeUndefined();
    const { conversationId } = await sendMessage(test.actors.member, input);
    expect(conversationOfMessage(test.actors.member, messageId)).toBe(conversationId);
    expect(conversationOfMessage(test.actors.admin, messageId)).toBeUndefined();
    await expect(sendMessage(test.actors.member, input)).rejects.toMatchObject({ code: "conflict" });
  });
});

it("names a missing persona as the sender did, but not by an ID", async () => {
  const test = openTestDatabase();
  const send = (persona: string) =>
    sendMessage(
      test.actors.member,
      ChatRequest.parse({ persona, messages: [{ role: "user", content: "Hello" }] }),
    );
  await expect(send("Doomed")).rejects.toThrow('Persona "Doomed" not found.');
  await expect(send(newId("per"))).rejects.toThrow("The selected persona is no longer available.");
  test.close();
});

it.each([null, "default", "", undefined])("takes %j as no persona", async (persona) => {
  const test = openTestDatabase();
  const messages = [{ role: "user", content: "Hello" }];
  const input = ChatRequest.parse({ persona, messages, model: "quarterdeck-offline" });
  const { conversationId } = await sendMessage(test.actors.member, input);
  expect(readConversation(test.actors.member, conversationId).settings.personaId).toBeUndefined();
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

it("stops an answer, and audits that once", async () => {
  const test = openTestDatabase();
  const { member } = test.actors;
  const messages = [{ role: "user", content: "a long story ".repeat(200) }];
  const input = ChatRequest.parse({ messages, model: "quarterdeck-offline" });
  const { conversationId } = await sendMessage(member, input);
  await stopAnswer(member, conversationId);
  await stopAnswer(member, conversationId);
  expect(readConversation(member, conversationId).messages.at(-1)?.status).toBe("stopped");
  const resource = `conversation:${conversationId}`;
  expect(listAudit(member, { limit: 9 }).entries).toMatchObject([
    { action: "conversation.stopped", resource },
    { action: "conversation.created", resource },
  ]);
  test.close();
});

it("leaves a question that a guardrail refused out of what is sent later", async () => {
  const test = openTestDatabase();
  const { member } = test.actors;
  saveGuardrails(test.actors.admin, { blocked: "swordfish" });
  const send = async (content: string, conversationId?: string) => {
    const messages = [{ role: "user", content }];
    const input = ChatRequest.parse({ messages, conversationId, model: "quarterdeck-offline" });
    const begun = await sendMessage(member, input);
    await findActiveGeneration(begun.conversationId)?.done;
    return begun.conversationId;
  };
  const id = await send("Hello there");
  const answers = () => readConversation(member, id).messages.filter(({ role }) => role === "assistant");
  await send("Tell me about swordfish", id);
  await send("And harmless things?", id);
  expect(answers().map(({ status, metrics }) => [status, metrics?.refused])).toEqual([
    ["complete", undefined],
    ["failed", "request"],
    ["complete", undefined],
  ]);
  await regenerateAnswer(member, id, { tools: [], maxSteps: 1 });
  await findActiveGeneration(id)?.done;
  expect(answers().at(-1)?.status).toBe("complete");
  const last = readConversation(member, id).messages.at(-2)?.id ?? "";
  await editMessage(member, id, { tools: [], maxSteps: 1, messageId: last, content: "Other things?" });
  await findActiveGeneration(id)?.done;
  expect(answers().at(-1)?.status).toBe("complete");
  // Once the rule is gone, it can be asked again.
  saveGuardrails(test.actors.admin, { blocked: "" });
  await regenerateAnswer(member, id, { tools: [], maxSteps: 1, messageId: answers()[1]?.id });
  await findActiveGeneration(id)?.done;
  expect(answers().at(-1)).toMatchObject({ status: "complete" });
  expect([...readBack(answers().at(-1)?.id ?? null)]).toHaveLength(4);
  test.close();
});

describe("answers while the process is being stopped", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(async () => {
    await stopAllAnswers();
    allowAnswers();
    test.close();
  });

  const input = (content: string): ChatRequest => ({
    messages: [{ role: "user", content }],
    model: "quarterdeck-offline",
    maxSteps: 1,
  });
  const stored = () =>
    db()
      .select()
      .from(messages)
      .all()
      .filter(({ role }) => role === "assistant")
      .map(({ status }) => status);

  it("end with their text kept", async () => {
    const { conversationId } = await sendMessage(test.actors.member, input("a long story ".repeat(200)));
    await expect.poll(() => findActiveGeneration(conversationId)?.state.parts).not.toEqual([]);
    await stopAllAnswers();
    expect(findActiveGeneration(conversationId)).toBeUndefined();
    expect(stored()).toEqual(["interrupted"]);
  });

  it("don't start, and store no message", async () => {
    await sendMessage(test.actors.member, input("one"));
    const late = sendMessage(test.actors.member, input("two"));
    const stopped = stopAllAnswers();
    await expect(late).rejects.toMatchObject({
      code: "unavailable",
      message: "The console is restarting. Try again in a moment.",
    });
    await stopped;
    expect(stored()).toEqual(["interrupted"]);
    await expect(sendMessage(test.actors.member, input("three"))).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("begin again after a new start in the same process", async () => {
    await stopAllAnswers();
    allowAnswers();
    await expect(sendMessage(test.actors.member, input("one"))).resolves.toMatchObject({ lastEventId: 0 });
  });
});
