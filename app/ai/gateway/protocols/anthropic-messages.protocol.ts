import { newId } from "~/core/ids.server";
import { messagesToCall, parseMessagesRequest } from "./anthropic-messages.request";
import { type MessageEvent, MessageEvents, toMessage } from "./anthropic-messages.response";
import type { MessagesRequest } from "./anthropic-messages.schema";
import { anthropicErrors } from "./errors";
import { type CheckedRequest, type Protocol, type Translation, toChecked } from "./protocol";
import { classifyNamedFrame, eventFrame, type FrameKind } from "./sse-frames";
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
  members: { responseFormat: "output_config.format" },
  stream({ envelope }) {
    const events = new MessageEvents(newMeta(envelope.model));
    const frames = (made: readonly MessageEvent[]) => made.map(({ data }) => eventFrame(data)).join("");
    return {
      take: (part) => frames(events.take(part)),
      keep: (packed) => frames(events.keep(packed)),
      end: () => "",
    };
  },
  toResponse: ({ envelope }, result, packed) => toMessage(result, newMeta(envelope.model), packed),
};

export const anthropicMessages: Protocol = {
  kind: "chat",
  check,
  resultMember: "content",
  countTokens: countAnthropicTokens,
  errors: anthropicErrors,
  passedHeaders: ["anthropic-version", "anthropic-beta"],
  stream: {
    classify: (frame) => classifyNamedFrame(frame, FRAMES),
    heartbeat: eventFrame({ type: "ping" }),
  },
  translation,
};
