import { passagesOf } from "~/ai/models/quoted-passages.shared";
import { documentsIn } from "../answer/prompt.server";
import type { ChatMessage } from "../chat.schema";

/** Replaces the title of a hidden passage. */
const LEFT_OUT = "Omitted: a document that was deleted or that you can't see";

/** Removes passages hidden from the reader and marks each. */
export function hidePassages(
  messages: readonly ChatMessage[],
  canSee: (documentId: string) => boolean,
): ChatMessage[] {
  const seen = new Map<string, boolean>();
  const isSeen = (id: string) => {
    const isVisible = seen.get(id) ?? canSee(id);
    seen.set(id, isVisible);
    return isVisible;
  };
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const passages = part.type === "tool" ? passagesOf(part.output) : undefined;
      if (part.type !== "tool" || !passages || passages.every(({ url }) => documentsIn(url).every(isSeen)))
        return part;
      const visible = passages.map((passage) => {
        const { number, url, score, scores } = passage;
        if (documentsIn(url).every(isSeen)) return passage;
        return {
          number,
          title: LEFT_OUT,
          text: "",
          headings: [],
          page: null,
          url,
          score,
          scores,
          leftOut: true,
        };
      });
      return { ...part, output: { passages: visible } };
    }),
  }));
}
