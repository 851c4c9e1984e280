import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { ChatModelCall } from "./language-model";

/** UTF-8 bytes per token: four Latin letters or one Chinese character. */
const TOKEN_BYTES = 4;
const IMAGE_TOKENS = 1000;

export const tokensInBytes = (bytes: number): number => Math.ceil(bytes / TOKEN_BYTES);

export const tokensIn = (...texts: string[]): number =>
  tokensInBytes(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0));

/** About how many tokens a call sends. */
export function tokensInCall({ prompt, tools }: Pick<ChatModelCall, "prompt" | "tools">): number {
  const texts = tools ? [JSON.stringify(tools)] : [];
  let files = 0;
  for (const { content } of prompt) {
    if (typeof content === "string") texts.push(content);
    else
      for (const part of content) {
        if (part.type === "text" || part.type === "reasoning") texts.push(part.text);
        else if (part.type === "file") files += 1;
        else texts.push(JSON.stringify(part));
      }
  }
  return tokensIn(...texts) + files * IMAGE_TOKENS;
}

interface ChatCounts {
  prompt_tokens?: number | null | undefined;
  completion_tokens?: number | null | undefined;
  total_tokens?: number | null | undefined;
}

/** A chat completion's output: xAI and others have thoughts in the total alone. */
export function chatOutputTokens(usage: ChatCounts): number | undefined {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  if (input == null || total == null) return output ?? undefined;
  return Math.max(output ?? 0, total - input);
}

/** Whether the console counted what a provider didn't report. */
export const isEstimated = (usage: LanguageModelV3Usage | undefined): boolean =>
  usage?.raw?.estimated === true;

/**
 * A usage with the figures that its provider didn't report, from the length of the texts.
 * @param output bytes of the answer
 */
export function countedUsage(
  usage: LanguageModelV3Usage,
  call: Pick<ChatModelCall, "prompt" | "tools">,
  output: number,
): LanguageModelV3Usage {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens.total !== undefined && outputTokens.total !== undefined) return usage;
  return {
    inputTokens: { ...inputTokens, total: inputTokens.total ?? tokensInCall(call) },
    outputTokens: { ...outputTokens, total: outputTokens.total ?? tokensInBytes(output) },
    raw: { ...usage.raw, estimated: true },
  };
}
