import { z } from "zod";

/** Tokens as a provider counts them; missing figures are omitted. */
export interface TokenCounts {
  /** With what came from a cache and what was put into it. */
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
}

/** The protocols whose answers can be passed on as they are. */
export type PassedProtocol = "openai-chat" | "openai-responses" | "openai-embeddings" | "anthropic-messages";

const Count = z.number().nonnegative().optional().catch(undefined);
/** Cached input tokens as OpenAI reports them; OpenRouter adds those written to the cache. */
const Details = z.object({ cached_tokens: Count, cache_write_tokens: Count }).optional().catch(undefined);
/** Both of OpenAI's spellings, and Anthropic's, which counts what is cached apart. */
const Usage = z
  .object({
    prompt_tokens: Count,
    completion_tokens: Count,
    prompt_tokens_details: Details,
    input_tokens: Count,
    input_tokens_details: Details,
    output_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
  })
  .optional()
  .catch(undefined);
export type WireUsage = z.infer<typeof Usage>;

/** Where the frames and bodies of the protocols have their usage. */
export const WithUsage = z
  .object({
    usage: Usage,
    message: z.object({ usage: Usage }).optional().catch(undefined),
    response: z.object({ usage: Usage }).optional().catch(undefined),
  })
  .catch({});

const sum = (counts: (number | undefined)[]) =>
  counts.every((count) => count === undefined)
    ? undefined
    : counts.reduce<number>((total, count) => total + (count ?? 0), 0);

/** Merges a stream's partial usage reports: a later figure replaces an earlier one. */
export function mergeUsage(earlier: WireUsage, later: WireUsage): WireUsage {
  const told = Object.entries(later ?? {}).filter(([, count]) => count !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}

function countCached(protocol: PassedProtocol, usage: NonNullable<WireUsage>) {
  if (protocol === "anthropic-messages") {
    return { read: usage.cache_read_input_tokens, write: usage.cache_creation_input_tokens };
  }
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  return { read: details?.cached_tokens, write: details?.cache_write_tokens };
}

export function countTokens(protocol: PassedProtocol, usage: WireUsage): TokenCounts {
  if (!usage) return {};
  const { read, write } = countCached(protocol, usage);
  const inputTokens =
    protocol === "anthropic-messages"
      ? sum([usage.input_tokens, read, write])
      : (usage.prompt_tokens ?? usage.input_tokens);
  const outputTokens =
    protocol === "openai-embeddings" ? 0 : (usage.completion_tokens ?? usage.output_tokens);
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(read === undefined ? {} : { cacheReadTokens: read }),
    ...(write === undefined ? {} : { cacheWriteTokens: write }),
  };
}

/** Usage reported by a non-streaming response. `body` is its JSON. */
export function usageOfBody(protocol: PassedProtocol, body: unknown): TokenCounts {
  return countTokens(protocol, WithUsage.parse(body).usage);
}
