import { setTimeout as delay } from "node:timers/promises";
import { newId } from "~/core/ids.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { type ChatModel, type ChatModelCall, type ChatModelPart, UNKNOWN_USAGE } from "../language-model";
import { answerOffline } from "./offline-answer";
import type { ProviderType } from "./provider-type";

/** Delay between words, in ms, so that streaming is visible. */
const WORD_MS = 4;

async function* streamAnswer(call: ChatModelCall): AsyncGenerator<ChatModelPart> {
  const answer = answerOffline(call);
  yield { type: "stream-start", warnings: [] };
  if (answer.text) yield { type: "text-start", id: "0" };
  for (const word of answer.text.match(/\S+\s*|\s+/g) ?? []) {
    await delay(WORD_MS, undefined, call.abortSignal ? { signal: call.abortSignal } : {});
    yield { type: "text-delta", id: "0", delta: word };
  }
  if (answer.text) yield { type: "text-end", id: "0" };
  if ("call" in answer) {
    const id = newId("call");
    const input = JSON.stringify(answer.call.input);
    yield { type: "tool-input-start", id, toolName: answer.call.tool };
    yield { type: "tool-input-delta", id, delta: input };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: answer.call.tool, input };
  }
  const unified = "call" in answer ? "tool-calls" : "stop";
  // It counts no tokens.
  yield { type: "finish", finishReason: { unified, raw: unified }, usage: UNKNOWN_USAGE };
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
    const answer = answerOffline(call);
    const unified = "call" in answer ? "tool-calls" : "stop";
    const toolCall = "call" in answer ? answer.call : undefined;
    return {
      content: [
        ...(answer.text ? [{ type: "text" as const, text: answer.text }] : []),
        ...(toolCall
          ? [
              {
                type: "tool-call" as const,
                toolCallId: newId("call"),
                toolName: toolCall.tool,
                input: JSON.stringify(toolCall.input),
              },
            ]
          : []),
      ],
      finishReason: { unified, raw: unified },
      usage: UNKNOWN_USAGE,
      warnings: [],
    };
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
  fields: [],
  pricing: null,
  abilities: ["tools"],
  local: true,
  listing: "One model, included with the console",
  wire: {},
  headers: () => ({}),
  listModels: async () => [{ id: OFFLINE_MODEL }],
  makeModel: () => Promise.resolve(model),
};
