import { z } from "zod";
import { chatOutputTokens } from "~/ai/models/models.service.server";

/** Tokens as a provider counts them; missing figures are undefined. */
export interface TokenCounts {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cacheReadTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  /** Of the cache writes, those for an hour, which cost more. */
  cacheWrite1hTokens?: number | undefined;
  /** What rerankers count. */
  searchUnits?: number | undefined;
  /** That were made. */
  images?: number | undefined;
  /** Whether the console counted them, since the provider reported none. */
  estimated?: boolean | undefined;
}

const Count = z.number().nonnegative().optional().catch(undefined);
/** OpenAI's cached input; OpenRouter adds cache writes. */
const Details = z.object({ cached_tokens: Count, cache_write_tokens: Count }).optional().catch(undefined);
/** Anthropic's cache writes by how long they are kept. */
const Creation = z.object({ ephemeral_1h_input_tokens: Count }).optional().catch(undefined);
/** Both of OpenAI's spellings, and Anthropic's with separate cache counts. */
const Usage = z
  .object({
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Details,
    input_tokens: Count,
    input_tokens_details: Details,
    output_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_creation: Creation,
    search_units: Count,
  })
  .optional()
  .catch(undefined);
export type WireUsage = z.infer<typeof Usage>;

/** The places where frames and bodies report usage. */
export const WithUsage = z
  .object({
    usage: Usage,
    message: z.object({ usage: Usage }).optional().catch(undefined),
    response: z.object({ usage: Usage }).optional().catch(undefined),
    /** As rerankers have it. */
    meta: z.object({ billed_units: Usage }).optional().catch(undefined),
  })
  .catch({});

const sum = (counts: (number | undefined)[]) =>
  counts.every((count) => count === undefined)
    ? undefined
    : counts.reduce<number>((total, count) => total + (count ?? 0), 0);

/** Merges a stream's partial usage reports: a later figure replaces an earlier one. */
export function mergeUsage(earlier: WireUsage, later: WireUsage): WireUsage {
  const reported = Object.entries(later ?? {}).filter(([, count]) => count !== undefined);
  return { ...earlier, ...Object.fromEntries(reported) };
}

export function countOpenAiTokens(usage: NonNullable<WireUsage>): TokenCounts {
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  return {
    inputTokens: usage.prompt_tokens ?? usage.input_tokens,
    outputTokens: usage.completion_tokens ?? usage.output_tokens,
    cacheReadTokens: details?.cached_tokens,
    cacheWriteTokens: details?.cache_write_tokens,
  };
}

/** The same of a chat completion. */
export const countChatTokens = (usage: NonNullable<WireUsage>): TokenCounts => ({
  ...countOpenAiTokens(usage),
  outputTokens: chatOutputTokens(usage),
});

/** Anthropic's input tokens don't include the cached ones. */
export function countAnthropicTokens(usage: NonNullable<WireUsage>): TokenCounts {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: write } = usage;
  return {
    inputTokens: sum([usage.input_tokens, read, write]),
    outputTokens: usage.completion_tokens ?? usage.output_tokens,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    cacheWrite1hTokens: usage.cache_creation?.ephemeral_1h_input_tokens,
  };
}
