import { anthropicMessages } from "./anthropic-messages.protocol";
import { openAiChat } from "./openai-chat.protocol";
import { openAiEmbeddings } from "./openai-embeddings.protocol";
import { openAiImageEdits, openAiImages } from "./openai-images.protocol";
import { openAiResponses } from "./openai-responses.protocol";
import type { Protocol } from "./protocol";
import { rerank } from "./rerank.protocol";
import { mergeUsage, type TokenCounts, WithUsage } from "./wire-usage";

const protocols = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  "openai-embeddings": openAiEmbeddings,
  "anthropic-messages": anthropicMessages,
  rerank,
  "openai-images": openAiImages,
  "openai-image-edits": openAiImageEdits,
} as const satisfies Record<string, Protocol>;

export type ProtocolName = keyof typeof protocols;

export function protocolOf(name: ProtocolName): Protocol {
  return protocols[name];
}

/** Usage reported by a non-streaming response. `body` is its JSON. */
export function usageOfBody(name: ProtocolName, body: unknown): TokenCounts {
  const { usage: reported, meta } = WithUsage.parse(body);
  const usage = meta?.billed_units ? mergeUsage(meta.billed_units, reported) : reported;
  const { countTokens, countBody } = protocolOf(name);
  return { ...(usage && countTokens(usage)), ...countBody?.(body) };
}
