import { passagesOf } from "~/features/knowledge/search/passages.shared";
import { documentsIn } from "../answer/prompt.server";
import type { MessageRow } from "../chat.repo.server";
import type { ChatMessage, MessagePart } from "../chat.schema";
import { toMessage } from "../message-windows.server";

/** What a reader of someone else's conversation may see. */
export interface ReaderRights {
  /** Whether the reader sees all of these documents. */
  canSee(documentIds: string[]): boolean;
  /** Whether passages of documents are listed under the answers. */
  hasCitations: boolean;
}

export interface SharedMessage {
  message: ChatMessage;
  /** It may quote documents that the reader doesn't see: nothing of it is in `message`. */
  omitted: boolean;
  attachmentsOmitted: number;
}

/** A part in whose place nothing is drawn: stored drawings go by the parts' order. */
const NOTHING: MessagePart = { type: "step" };

/** Text, and where the reader may have them the passages that searches found; nothing else of a tool's result. */
function maskPart(part: MessagePart, { hasCitations }: ReaderRights): MessagePart {
  if (part.type === "text") return part;
  if (part.type !== "tool" || part.state !== "done" || !hasCitations) return NOTHING;
  const passages = passagesOf(part.output);
  if (!passages || passages.length === 0) return NOTHING;
  return { ...part, input: {}, output: { passages } };
}

/** Whether a tool's result was cut off, so that it can't be known which documents it quoted. */
const isCut = (part: MessagePart): boolean =>
  part.type === "tool" &&
  typeof part.output === "object" &&
  part.output !== null &&
  "truncated" in part.output;

const KNOWN = new Set<string>(["text", "reasoning", "tool", "step"]);

/**
 * The messages of a conversation as one reader may see them. A message that quotes a document which they can't see is
 * left out, and so is every later answer: the model had the passages before it and may have repeated them.
 *
 * @param rows a path, from its first message on
 * @param isRestricted whether the conversation has ever held passages of restricted documents
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
        (documents.length > 0 && !rights.canSee(documents)) || (isRestricted && message.parts.some(isCut));
      tainted ||= hidden;
      const omitted = message.role === "assistant" ? tainted : hidden;
      const { toolCall: _, ...shown } = message;
      const parts = omitted ? [] : message.parts.map((part) => maskPart(part, rights));
      return {
        message: {
          ...shown,
          parts,
          content: omitted ? "" : message.content,
          error: null,
          metrics: null,
        },
        omitted,
        attachmentsOmitted: message.parts.filter(({ type }) => !KNOWN.has(type)).length,
      };
    });
}
