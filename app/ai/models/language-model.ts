import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";

export type ChatModel = LanguageModelV3;
export type ChatModelCall = LanguageModelV3CallOptions;
export type ChatModelPart = LanguageModelV3StreamPart;

/** Missing figures aren't guessed. */
export const UNKNOWN_USAGE: LanguageModelV3Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
