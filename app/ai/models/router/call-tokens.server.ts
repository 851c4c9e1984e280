import type { ChatModelCall, ChatModelPart } from "../language-model";
import {
  type CallSize,
  type CallTokens,
  DEFAULT_OUTPUT_TOKENS,
  tokensIn,
  tokensInBytes,
} from "./spending.server";

const IMAGE_TOKENS = 1000;

/** Estimates a call's tokens. */
export function sizeOf({ prompt, tools, maxOutputTokens }: ChatModelCall): CallSize {
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
  return {
    input: tokensIn(...texts) + files * IMAGE_TOKENS,
    output: maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

/** Collects usage from a stream's parts. */
export class TokenCounter {
  private bytes = 0;
  tokens: CallTokens | undefined;

  get estimatedOutput(): number {
    return tokensInBytes(this.bytes);
  }

  take(part: ChatModelPart): void {
    if (part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta")
      this.bytes += Buffer.byteLength(part.delta);
    if (part.type !== "finish") return;
    const { inputTokens: input, outputTokens: output } = part.usage;
    const { cacheRead, cacheWrite } = input;
    this.tokens = { input: input.total, output: output.total, cacheRead, cacheWrite };
  }
}
