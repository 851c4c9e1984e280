import { passagesOf } from "~/ai/models/quoted-passages.shared";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { areVisibleTo } from "~/work/documents/documents.service.server";
import { documentsIn } from "../answer/prompt.server";
import { listAllBranches, listBranch } from "../chat.repo.server";
import type { ChatMessage } from "../chat.schema";
import { readConversationWith } from "../conversations.service.server";
import { renderInThread } from "../markdown/render-pool.server";
import { StoredRendering } from "../markdown/render-task";
import type { RenderedText } from "../markdown/tree.shared";
import { WRITERS } from "./export-texts";
import type { ExportFormat } from "./imports.schema";

/** Replaces the title of a hidden passage. */
const LEFT_OUT = "Omitted: a document that was deleted or that you can't see";

/** Removes passages hidden from the reader and marks each. */
function hidePassages(
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

/** Maximum length of a file name without its extension. */
const NAME_LENGTH = 60;

export interface ExportFile {
  name: string;
  type: string;
  pieces: AsyncIterator<string>;
}

async function* withYields(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece;
}

/** In a worker; a text that it can't parse in time is exported as it is. */
async function parse(text: string): Promise<RenderedText | undefined> {
  try {
    const { json } = await renderInThread({ texts: [text] });
    return StoredRendering.parse(JSON.parse(json)).parts[0] ?? undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function fileName(title: string): string {
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "");
  return clip(name, NAME_LENGTH).toLowerCase() || "conversation";
}

/**
 * @param origin the console's, for links to cited passages
 * @throws AppError `not_found`
 */
export function exportConversation(
  actor: Actor,
  id: string,
  { format, origin }: { format: ExportFormat; origin: string },
): ExportFile {
  const { extension, type, branches, write } = WRITERS[format];
  const conversation = readConversationWith(actor, id, ({ activeMessageId }) => ({
    rows: branches === "all" ? listAllBranches(db(), id) : listBranch(db(), activeMessageId),
    hasEarlier: false,
  }));
  transaction((tx) =>
    append(tx, actor, {
      action: "conversation.exported",
      resource: `conversation:${id}`,
      details: { format },
    }),
  );
  return {
    name: `${fileName(conversation.title)}.${extension}`,
    type,
    pieces: withYields(
      write(
        {
          ...conversation,
          origin,
          messages: hidePassages(conversation.messages, (document) => areVisibleTo(actor, [document])),
        },
        parse,
      ),
    ),
  };
}
