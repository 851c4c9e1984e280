import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { newId } from "~/core/ids.server";
import { messagesToCall } from "./protocols/anthropic-messages.request";
import { toMessage } from "./protocols/anthropic-messages.response";
import type { MessagesRequest } from "./protocols/anthropic-messages.schema";
import { MessageEvents } from "./protocols/anthropic-messages.stream";
import { toCall } from "./protocols/openai-chat.request";
import { ChatChunks, toChatCompletion } from "./protocols/openai-chat.response";
import type { ChatRequest } from "./protocols/openai-chat.schema";
import type { SupportedUrls } from "./protocols/prompt";
import type { PassedProtocol } from "./protocols/wire-usage";

/** Makes the frames of a streamed answer, part by part; `end` is what comes after the last. */
export interface FrameMaker {
  take(part: LanguageModelV3StreamPart): string;
  end(): string;
}

/** Makes a caller's call into an adapter's, and the adapter's answer into the caller's. */
export interface Translation {
  /**
   * @param request as the protocol's own schema has it, by which every body is checked before
   * @throws AppError `invalid` for what can't be said in the adapter's terms
   */
  toCall(request: unknown, supported: SupportedUrls): LanguageModelV3CallOptions;
  stream(model: string, showsUsage: boolean): FrameMaker;
  /** An answer in one piece. */
  whole(model: string, result: LanguageModelV3GenerateResult): unknown;
}

const chatMeta = (model: string) => ({
  id: newId("chatcmpl"),
  created: Math.floor(Date.now() / 1000),
  model,
});

const chat: Translation = {
  toCall: (request, supported) => toCall(request as ChatRequest, supported),
  stream(model, showsUsage) {
    const chunks = new ChatChunks({ ...chatMeta(model), includeUsage: showsUsage });
    const frame = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
    return {
      take: (part) => chunks.take(part).map(frame).join(""),
      end: () => "data: [DONE]\n\n",
    };
  },
  whole: (model, result) => toChatCompletion(result, chatMeta(model)),
};

const messageMeta = (model: string) => ({ id: newId("msg"), model });

const messages: Translation = {
  toCall: (request, supported) => messagesToCall(request as MessagesRequest, supported),
  stream(model) {
    const events = new MessageEvents(messageMeta(model));
    return {
      take: (part) =>
        events
          .take(part)
          .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
          .join(""),
      end: () => "",
    };
  },
  whole: (model, result) => toMessage(result, messageMeta(model)),
};

/** The protocols that can be translated; the others need a provider that speaks them. */
export const TRANSLATIONS: Partial<Record<PassedProtocol, Translation>> = {
  "openai-chat": chat,
  "anthropic-messages": messages,
};
