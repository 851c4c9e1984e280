import { toAnthropicError, toOpenAiError } from "./protocols/errors";
import type { PassedProtocol } from "./protocols/wire-usage";

/** How a protocol reports a failure: in a response that hasn't begun, and as the last frame of a stream that has. */
export interface Dialect {
  refuse(error: unknown, requestId: string): { status: number; body: unknown };
  frame(error: unknown, requestId: string): string;
}

export const openAiDialect: Dialect = {
  refuse: (error) => toOpenAiError(error),
  frame: (error) => `data: ${JSON.stringify(toOpenAiError(error).body)}\n\n`,
};

export const anthropicDialect: Dialect = {
  refuse: toAnthropicError,
  frame: (error, requestId) =>
    `event: error\ndata: ${JSON.stringify(toAnthropicError(error, requestId).body)}\n\n`,
};

export function dialectOf(protocol: PassedProtocol): Dialect {
  return protocol === "anthropic-messages" ? anthropicDialect : openAiDialect;
}
