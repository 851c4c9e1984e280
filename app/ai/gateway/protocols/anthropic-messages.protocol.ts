import { newId } from "~/core/ids.server";
import { messagesToCall, parseMessagesRequest } from "./anthropic-messages.request";
import { MessageEvents, toMessage } from "./anthropic-messages.response";
import type { MessagesRequest } from "./anthropic-messages.schema";
import { anthropicErrors } from "./errors";
import { type CheckedRequest, type Protocol, type Translation, toChecked } from "./protocol";
import { classifyNamedFrame, type FrameKind } from "./sse-frames";
import { countAnthropicTokens } from "./wire-usage";

function check(body: unknown): CheckedRequest {
  const request = parseMessagesRequest(body);
  return toChecked(request, { maxOutput: request.max_tokens });
}

const FRAMES: Record<string, FrameKind> = {
  message_start: "preamble",
  ping: "preamble",
  content_block_start: "preamble",
  content_block_delta: "token",
  message_stop: "end",
  error: "error",
};

const newMeta = (model: string) => ({ id: newId("msg"), model });

const translation: Translation = {
  toCall: (request, supported) => messagesToCall(request as MessagesRequest, supported),
  stream(model) {
    const events = new MessageEvents(newMeta(model));
    return {
      take: (part) =>
        events
          .take(part)
          .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
          .join(""),
      end: () => "",
    };
  },
  toResponse: (model, result) => toMessage(result, newMeta(model)),
};

export const anthropicMessages: Protocol = {
  kind: "chat",
  check,
  resultMember: "content",
  countTokens: countAnthropicTokens,
  errors: anthropicErrors,
  passedHeaders: ["anthropic-version", "anthropic-beta"],
  stream: { classify: (frame) => classifyNamedFrame(frame, FRAMES) },
  translation,
};
