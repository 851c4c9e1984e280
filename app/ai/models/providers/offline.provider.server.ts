import { setTimeout as delay } from "node:timers/promises";
import { newId } from "~/core/ids.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { type ChatModel, type ChatModelCall, type ChatModelPart, UNKNOWN_USAGE } from "../language-model";
import { answerOffline } from "./offline-answer";
import type { ProviderType } from "./provider-type.server";

/** Delay between words, in ms, so that streaming is visible. */
const WORD_MS = 4;

function generate(call: ChatModelCall) {
  const answer = answerOffline(call);
  const request = "call" in answer ? answer.call : undefined;
  const unified = request ? "tool-calls" : "stop";
  return {
    text: answer.text,
    toolCall: request && {
      type: "tool-call" as const,
      toolCallId: newId("call"),
      toolName: request.tool,
      input: JSON.stringify(request.input),
    },
    finishReason: { unified, raw: unified } as const,
  };
}

async function* streamAnswer(call: ChatModelCall): AsyncGenerator<ChatModelPart> {
  const { text, toolCall, finishReason } = generate(call);
  yield { type: "stream-start", warnings: [] };
  if (text) yield { type: "text-start", id: "0" };
  for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
    await delay(WORD_MS, undefined, call.abortSignal ? { signal: call.abortSignal } : {});
    yield { type: "text-delta", id: "0", delta: word };
  }
  if (text) yield { type: "text-end", id: "0" };
  if (toolCall) {
    const { toolCallId: id, toolName, input } = toolCall;
    yield { type: "tool-input-start", id, toolName };
    yield { type: "tool-input-delta", id, delta: input };
    yield { type: "tool-input-end", id };
    yield toolCall;
  }
  // It counts no tokens.
  yield { type: "finish", finishReason, usage: UNKNOWN_USAGE };
}

function toStream(parts: AsyncGenerator<ChatModelPart>): ReadableStream<ChatModelPart> {
  return new ReadableStream({
    async pull(controller) {
      const next = await parts.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

const model: ChatModel = {
  specificationVersion: "v3",
  provider: "built-in",
  modelId: OFFLINE_MODEL,
  supportedUrls: {},
  async doStream(call) {
    return { stream: toStream(streamAnswer(call)) };
  },
  async doGenerate(call) {
    const { text, toolCall, finishReason } = generate(call);
    const content = [...(text ? [{ type: "text" as const, text }] : []), ...(toolCall ? [toolCall] : [])];
    return { content, finishReason, usage: UNKNOWN_USAGE, warnings: [] };
  },
};

/** The built-in model: streams and calls tools like others. */
export const offline: ProviderType = {
  value: "built-in",
  label: "Built-in",
  description: "Runs tools and quotes documents without a key; not a language model",
  keyKind: "other",
  keyRequired: false,
  defaultBaseUrl: null,
  pricing: null,
  abilities: ["Tools"],
  local: true,
  listing: "One model, included with the console",
  wire: {},
  headers: () => ({}),
  listModels: async () => [{ id: OFFLINE_MODEL }],
  makeModel: () => Promise.resolve(model),
};
