import { passagesOf } from "~/ai/models/quoted-passages.shared";
import { documentsIn } from "../answer/prompt.server";
import type { MessageRow } from "../chat.repo.server";
import type { ChatMessage, MessagePart } from "../chat.schema";
import { toMessage } from "../message-windows.server";

/** Access rights of a shared conversation's reader. */
export interface ReaderRights {
  canSee(documentIds: string[]): boolean;
  hasCitations: boolean;
}

export interface SharedMessage {
  message: ChatMessage;
  /** The message may quote documents hidden from the reader, and is empty. */
  omitted: boolean;
  attachmentsOmitted: number;
}

/** Renders nothing, but keeps the indexes of stored renderings. */
const PLACEHOLDER: MessagePart = { type: "step" };

/** Keeps text and, if allowed, passages; drops other tool results. */
function maskPart(part: MessagePart, { hasCitations }: ReaderRights): MessagePart {
  if (part.type === "text") return part;
  if (part.type !== "tool" || part.state !== "done" || !hasCitations) return PLACEHOLDER;
  const passages = passagesOf(part.output);
  if (!passages || passages.length === 0) return PLACEHOLDER;
  return { ...part, input: {}, output: { passages } };
}

/** A truncated result may have quoted any document. */
const isTruncated = (part: MessagePart): boolean =>
  part.type === "tool" &&
  typeof part.output === "object" &&
  part.output !== null &&
  "truncated" in part.output;

const PART_TYPES = new Set<string>(["text", "reasoning", "tool", "step"]);

/**
 * Hides messages that quote documents the reader can't see, and every later answer: the model may have repeated the
 * passages.
 * @param rows a branch from its first message
 * @param isRestricted whether the conversation ever contained passages of restricted documents
 */
export function maskMessages(
  rows: readonly MessageRow[],
  rights: ReaderRights,
  isRestricted: boolean,
): SharedMessage[] {
  let tainted = false;
  return rows
    .filter(({ status }) => status !== "streaming")
    .map((row): SharedMessage => {
      const message = toMessage(row);
      const documents = documentsIn(message.parts);
      const hidden =
        (documents.length > 0 && !rights.canSee(documents)) ||
        (isRestricted && message.parts.some(isTruncated));
      tainted ||= hidden;
      const omitted = message.role === "assistant" ? tainted : hidden;
      const { toolCall: _, ...visible } = message;
      const parts = omitted ? [] : message.parts.map((part) => maskPart(part, rights));
      return {
        message: {
          ...visible,
          parts,
          content: omitted ? "" : message.content,
          error: null,
          metrics: null,
        },
        omitted,
        attachmentsOmitted: message.parts.filter(({ type }) => !PART_TYPES.has(type)).length,
      };
    });
}
