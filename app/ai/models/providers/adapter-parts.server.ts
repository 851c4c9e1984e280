import type { OpenAICompatibleProviderSettings } from "@ai-sdk/openai-compatible";
import type { JSONObject } from "@ai-sdk/provider";
import type { z } from "zod";
import { MAX_LIST_VALUES, parseJson } from "~/core/parse";
import { clip } from "~/core/well-formed";
import { chatOutputTokens } from "../counted-usage";
import { translatingEffort } from "../effort";
import { type ChatModel, UNKNOWN_USAGE, withCalls, withOption } from "../language-model";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";
import { readingChatCompletions } from "./chat-completions.server";
import { responseShape, returningReasoning } from "./compatible-reasoning.server";
import { compatibleEffort } from "./efforts";
import type { ProviderCall } from "./provider-type.server";

/** The header of a key as most providers take it. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/** OpenAI's calls for images. */
export const IMAGE_WIRE = {
  "openai-images": "/images/generations",
  "openai-image-edits": "/images/edits",
} as const;

/** OpenAI's calls for audio. */
export const AUDIO_WIRE = {
  "openai-transcription": "/audio/transcriptions",
  "openai-speech": "/audio/speech",
} as const;

/** @throws ProviderHttpError, MalformedResponse, and errors of the fetch */
export async function readList<T extends z.ZodType>(
  call: ProviderCall,
  path: string,
  schema: T,
  headers = bearer(call.apiKey),
): Promise<z.infer<T>> {
  const response = await call.fetch(call.baseUrl + path, {
    headers: { accept: "application/json", ...headers },
  });
  const body = await response.text();
  if (!response.ok) throw new ProviderHttpError(response.status, body, response.headers);
  try {
    return schema.parse(parseJson(body, MAX_LIST_VALUES));
  } catch (error) {
    throw new MalformedResponse(error);
  }
}

/** A context length as lists state it, in tokens. */
export const contextTokens = (length: number | null | undefined) =>
  length && length >= 1 ? Math.floor(length) : undefined;

/** A text of a list, bounded; undefined if blank. */
export const shortText = (text: string | null | undefined, max: number) =>
  text ? clip(text, max) : undefined;

/** What the adapter doesn't know of most servers: top K, and addresses of images, which it sends on as they are. */
const withTopKAndUrls = (model: ChatModel): ChatModel => ({
  ...withCalls(model, ({ topK, ...call }) =>
    topK === undefined ? call : withOption(call, "openaiCompatible", { top_k: topK }),
  ),
  supportedUrls: { "image/*": [/^https?:/] },
});

const readUsage: OpenAICompatibleProviderSettings["convertUsage"] = (usage) => {
  if (!usage) return UNKNOWN_USAGE;
  const input = usage.prompt_tokens ?? 0;
  const { cached_tokens, cache_write_tokens: written } = usage.prompt_tokens_details ?? {};
  const cacheRead = cached_tokens ?? 0;
  // OpenRouter's.
  const cacheWrite = typeof written === "number" ? written : undefined;
  const output = chatOutputTokens(usage) ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
    // It has been JSON.
    raw: usage as JSONObject,
  };
};

/**
 * A model of a server with OpenAI's chat completions API. Reasoning is a separate part, and is returned as it came.
 *
 * @param pathPrefix the path between the base URL and `/chat/completions`
 * @param effort how it takes one, if in a way of its own
 */
export async function compatibleModel(
  call: ProviderCall,
  modelId: string,
  streams = true,
  pathPrefix = "",
  effort?: Parameters<typeof translatingEffort>[1],
): Promise<ChatModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name: "openaiCompatible",
    baseURL: call.baseUrl + pathPrefix,
    fetch: readingChatCompletions(call.fetch, streams),
    includeUsage: true,
    supportsStructuredOutputs: true,
    metadataExtractor: responseShape,
    convertUsage: readUsage,
    transformRequestBody: ({ noStreamOptions, stream_options, ...body }) =>
      noStreamOptions || stream_options === undefined ? body : { ...body, stream_options },
    ...(call.apiKey ? { apiKey: call.apiKey } : {}),
  });
  const model = returningReasoning(withTopKAndUrls(provider(modelId)));
  return translatingEffort(model, effort ?? compatibleEffort(call.baseUrl));
}
