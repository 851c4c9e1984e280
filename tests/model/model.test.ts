import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "~/work/chat/chat.schema";
import type { RunDetails } from "~/work/workflows/runs.schema";
import { type Gateway, openGateway } from "../support/gateway";
import { ModelServer } from "../support/model-server";

// A real, very small model says nonsense: form, figures and states are asserted, never what it says.

/** In tokens; a short one, which a conversation fills soon. */
const CONTEXT = 1024;

let model: ModelServer;
let gateway: Gateway;

beforeAll(async () => {
  const { MODEL_PYTHON, MODEL_FILE } = process.env;
  if (!MODEL_PYTHON || !MODEL_FILE) throw new Error("Run this by `npm run test:model`, which has the model.");
  model = new ModelServer(MODEL_PYTHON, MODEL_FILE, CONTEXT);
  await model.start();
  // Deterministic on one machine; answers short enough to wait for, long enough to be stopped.
  gateway = await openGateway({ temperature: 0, maxTokens: 256, retryAttempts: 0 });
});
afterAll(async () => {
  await gateway?.close();
  await model?.kill();
});

const ask = (path: string, json: object, as: "member" | "owner" = "member") =>
  gateway.server.ask(path, { as, json });

async function read<T>(path: string): Promise<T> {
  const response = await gateway.server.ask(path, { as: "owner" });
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

async function conversation(id: string): Promise<Conversation> {
  return (await (
    await gateway.server.ask(`/api/ai/conversations/${id}`, { as: "member" })
  ).json()) as Conversation;
}

/** Sends a message. @returns the response and the conversation's id */
async function begin(content: string, more: object = {}) {
  const json = { model: model.model, messages: [{ role: "user", content }], tools: [], ...more };
  const response = await ask("/api/ai/chat", json);
  expect(response.status, await (response.ok ? "" : response.clone().text())).toBe(200);
  return { response, id: response.headers.get("x-conversation-id") ?? "" };
}

/** Sends a message and waits. @returns the stored answer */
async function answerTo(content: string, more: object = {}) {
  const { response, id } = await begin(content, more);
  await response.text();
  const answer = (await conversation(id)).messages.at(-1);
  if (!answer) throw new Error("There is no answer.");
  return { id, answer };
}

/** Waits for the first words of an answer. @returns the rest of its stream */
async function readFirstText(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; !text.includes('"text-delta"'); ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The answer ended before its first words: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return async () => {
    while (!(await reader?.read())?.done);
  };
}

const LONG =
  "Write a long story about a lighthouse keeper and her dog. Write it day by day, for thirty days.";
const types = ({ parts }: Conversation["messages"][number]) => parts.map(({ type }) => type);
const change = (json: object) =>
  gateway.server.ask(`/api/models?id=${model.model}`, { as: "owner", method: "PATCH", json });

it("is added as a Custom provider by its address, and lists its model", async () => {
  const config = { baseUrl: model.baseUrl, maxConcurrent: 1 };
  await gateway.created("/api/providers", { provider: "custom", displayName: "Llama", config });
  const { models } = await read<{ models: { id: string; providerName: string }[] }>("/api/ai/models");
  expect(models).toContainEqual(expect.objectContaining({ id: model.model, providerName: "Llama" }));
});

describe("the chat", () => {
  it("answers in text alone, and counts its tokens", async () => {
    const { answer } = await answerTo("Say hello.");
    expect(answer).toMatchObject({ status: "complete", error: null, content: expect.stringMatching(/\w/) });
    expect(types(answer)).toEqual(["step", "text"]);
    expect(answer.metrics?.inputTokens).toBeGreaterThan(0);
    expect(answer.metrics?.outputTokens).toBeGreaterThan(0);
  });

  it("stops within an answer, and the server is free for the next one", async () => {
    const { response, id } = await begin(LONG);
    const rest = await readFirstText(response);
    const stopped = await gateway.server.ask(`/api/ai/chat/${id}/stop`, { as: "member", method: "POST" });
    expect(stopped.status).toBe(204);
    await rest();
    const answer = (await conversation(id)).messages.at(-1);
    expect(answer).toMatchObject({ status: "stopped", error: null, content: expect.stringMatching(/\w/) });
    const next = await answerTo("Say hello.", { conversationId: id });
    expect(next.answer).toMatchObject({
      status: "complete",
      error: null,
      content: expect.stringMatching(/\w/),
    });
  });

  it("says that a message is too long for a context that the console doesn't know", async () => {
    const { answer } = await answerTo("A line of the log. ".repeat(CONTEXT / 2));
    expect(answer).toMatchObject({ status: "failed", error: expect.stringContaining("too long") });
  });

  it("leaves out the older turns of a conversation that is longer than the context", async () => {
    expect((await change({ maxTokens: CONTEXT })).status).toBe(200);
    const turn = "The night watch wrote a line of the log about wind, sea and sails. ".repeat(12);
    const trimmed: boolean[] = [];
    let conversationId: string | undefined;
    for (let count = 1; count <= 5; count += 1) {
      const { id, answer } = await answerTo(`${count}. ${turn}`, conversationId ? { conversationId } : {});
      conversationId = id;
      expect(answer).toMatchObject({ status: "complete", error: null, content: expect.stringMatching(/\w/) });
      expect(answer.metrics?.inputTokens).toBeLessThan(CONTEXT);
      trimmed.push(answer.metrics?.trimmed !== undefined);
    }
    expect([trimmed.at(0), trimmed.at(-1)]).toEqual([false, true]);
  });

  it("searches the documents first for a model without tools", async () => {
    const text = "Customers who send goods back within thirty days get a full refund.";
    await gateway.created("/api/rag/ingest", { title: "Returns", text, format: "markdown" });
    expect((await change({ maxTokens: CONTEXT, capabilities: ["text"] })).status).toBe(200);
    const { answer } = await answerTo("Who gets a refund?", { tools: ["qdrant.search"] });
    expect(answer).toMatchObject({ status: "complete", error: null, content: expect.stringMatching(/\w/) });
    expect(types(answer)).toEqual(["step", "tool", "step", "text"]);
    const [search] = answer.parts.filter((part) => part.type === "tool");
    expect(search).toMatchObject({ toolName: "qdrant.search", state: "done" });
    expect(JSON.stringify(search?.output)).toContain("full refund");
  });
});

it("gives a workflow's AI Analysis its fields, and nothing else", async () => {
  const analysis = {
    model: model.model,
    instruction: "Read the message.",
    input: "The database is down since nine, and no customer can sign in.",
    output: "json",
    fields: "urgency: low or high\ntopic: one word",
  };
  const workflowId = await gateway.created("/api/workflows", {
    name: "Triage",
    triggers: [{ id: "now", type: "manual", config: {} }],
    steps: [{ id: "read", type: "ai_analysis", config: analysis }],
  });
  const started = await ask(`/api/workflows/run/${workflowId}`, {}, "owner");
  const { id } = (await started.json()) as { id: string };
  const run = () => read<RunDetails>(`/api/runs/${id}`);
  await expect.poll(async () => (await run()).finishedAt, { timeout: 120_000, interval: 250 }).not.toBeNull();
  const { state, error, steps } = await run();
  expect({ state, error }).toEqual({ state: "succeeded", error: null });
  const counted = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
  const data = { urgency: expect.anything(), topic: expect.anything() };
  expect(steps.map(({ output }) => output)).toEqual([expect.objectContaining({ ...counted, data })]);
});

describe("the gateway", () => {
  const messages = [{ role: "user" as const, content: "Say hello." }];
  /** A call's record is written once its answer is sent. */
  const recordAfter = async (calls: number) => {
    await expect.poll(() => gateway.usage().length).toBe(calls + 1);
    return gateway.usage().at(-1);
  };
  const counted = { outcome: "ok", input_tokens: expect.any(Number), output_tokens: expect.any(Number) };

  it("passes on chat completions, whole and streamed", async () => {
    const client = gateway.openai();
    const calls = gateway.usage().length;
    const whole = await client.chat.completions.create({ model: model.model, messages, max_tokens: 32 });
    expect(whole.choices[0]?.message.content).toMatch(/\w/);
    expect(whole.usage?.completion_tokens).toBeGreaterThan(0);
    expect(await recordAfter(calls)).toMatchObject({
      ...counted,
      output_tokens: whole.usage?.completion_tokens,
    });
    const stream = client.chat.completions.stream({ model: model.model, messages, max_tokens: 32 });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.content).toMatch(/\w/);
    expect(await recordAfter(calls + 1)).toMatchObject(counted);
  });

  it("translates Anthropic's messages, whole and streamed", async () => {
    const client = gateway.anthropic();
    const input = { model: model.model, messages, max_tokens: 32 };
    for (const said of [
      await client.messages.create(input),
      await client.messages.stream(input).finalMessage(),
    ]) {
      expect(said.content).toEqual([
        expect.objectContaining({ type: "text", text: expect.stringMatching(/\w/) }),
      ]);
      expect(said.usage.input_tokens).toBeGreaterThan(0);
      expect(said.usage.output_tokens).toBeGreaterThan(0);
    }
  });
});

it("keeps the text and names the cause when the server dies within an answer, and goes on with its next start", async () => {
  const { response, id } = await begin(LONG);
  const rest = await readFirstText(response);
  await model.kill();
  await rest();
  const answer = (await conversation(id)).messages.at(-1);
  expect(answer).toMatchObject({
    status: "failed",
    content: expect.stringMatching(/\w/),
    error: expect.stringMatching(/^The connection to Llama was lost/),
  });
  const { answer: meanwhile } = await answerTo("Say hello.");
  expect(meanwhile).toMatchObject({ status: "failed", error: expect.stringMatching(/Llama/) });
  await model.start();
  const again = await ask(`/api/ai/chat/${id}/regenerate`, {});
  await (await readFirstText(again))();
  expect((await conversation(id)).messages.at(-1)).toMatchObject({ status: "complete", error: null });
});
