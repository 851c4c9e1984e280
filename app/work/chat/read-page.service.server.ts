import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { toDisplayText } from "~/core/well-formed";
import { readConversation } from "./conversations.service.server";
import { markQuotes, readPageOf } from "./read-page.shared";

/** @throws AppError `not_found` */
export function readStoredPage(actor: Actor, conversationId: string, toolCallId: string) {
  const { messages, title: conversation } = readConversation(actor, conversationId);
  for (const message of messages.toReversed()) {
    const part = message.parts.find((one) => one.type === "tool" && one.toolCallId === toolCallId);
    const page = part?.type === "tool" && part.state === "done" ? readPageOf(part.output) : undefined;
    if (!page) continue;
    return {
      conversation: toDisplayText(conversation),
      url: page.url,
      title: toDisplayText(page.title),
      readAt: message.timestamp,
      pieces: markQuotes(toDisplayText(page.text), toDisplayText(message.content)),
    };
  }
  throw new AppError("not_found", "Page not found in this conversation.");
}
