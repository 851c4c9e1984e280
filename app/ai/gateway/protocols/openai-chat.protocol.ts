import { newId } from "~/core/ids.server";
import { openAiErrors } from "./errors";
import { parseChatRequest, toCall } from "./openai-chat.request";
import { ChatChunks, toChatCompletion } from "./openai-chat.response";
import type { ChatRequest } from "./openai-chat.schema";
import {
  type CheckedRequest,
  type Protocol,
  type StreamFormat,
  type Translation,
  toChecked,
} from "./protocol";
import { classifyChatFrame, endsChat } from "./sse-frames";
import { countChatTokens } from "./wire-usage";

function check(body: unknown): CheckedRequest {
  const request = parseChatRequest(body);
  const showsUsage = request.stream_options?.include_usage === true;
  const options = { ...request.stream_options, include_usage: true };
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return toChecked(request, {
    showsUsage,
    maxOutput: limit && limit * (request.n ?? 1),
    changes: request.stream === true && !showsUsage ? { stream_options: JSON.stringify(options) } : {},
  });
}

const newMeta = (model: string) => ({
  id: newId("chatcmpl"),
  created: Math.floor(Date.now() / 1000),
  model,
});

const translation: Translation = {
  toCall: (request, supported) => toCall(request as ChatRequest, supported),
  members: { stopSequences: "stop" },
  stream({ envelope: { model, showsUsage } }) {
    const chunks = new ChatChunks({ ...newMeta(model), includeUsage: showsUsage });
    const frame = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
    return {
      take: (part) => chunks.take(part).map(frame).join(""),
      keep: (packed) => chunks.keep(packed).map(frame).join(""),
      end: () => "data: [DONE]\n\n",
    };
  },
  toResponse: ({ envelope }, result, packed) => toChatCompletion(result, newMeta(envelope.model), packed),
};

const usageFrame: StreamFormat["usageFrame"] = ({ responseId, responseModel }, usage) => {
  const { inputTokens: prompt_tokens, outputTokens: completion_tokens } = usage;
  const meta = { ...newMeta(responseModel ?? ""), ...(responseId && { id: responseId }) };
  const total_tokens = prompt_tokens + completion_tokens;
  const counts = { prompt_tokens, completion_tokens, total_tokens };
  return `data: ${JSON.stringify({ ...meta, object: "chat.completion.chunk", choices: [], usage: counts })}\n\n`;
};

export const openAiChat: Protocol = {
  kind: "chat",
  check,
  resultMember: "choices",
  countTokens: countChatTokens,
  errors: openAiErrors,
  passedHeaders: [],
  stream: { classify: classifyChatFrame, endsResponse: endsChat, usageFrame },
  translation,
};
