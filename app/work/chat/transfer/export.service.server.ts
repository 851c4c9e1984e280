import { passagesOf, type QuotedPassage } from "~/ai/models/quoted-passages.shared";
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

const LEFT_OUT = "Omitted: a document that was deleted or that you can't see";

/** Removes the text of passages that the reader can't see, and marks each. */
function hidePassages(actor: Actor, messages: readonly ChatMessage[]): ChatMessage[] {
  const visible = new Map<string, boolean>();
  const isVisible = (id: string) => {
    const known = visible.get(id) ?? areVisibleTo(actor, [id]);
    visible.set(id, known);
    return known;
  };
  const isHidden = ({ url }: QuotedPassage) => !documentsIn(url).every(isVisible);
  const hide = (passage: QuotedPassage) => {
    if (!isHidden(passage)) return passage;
    const { number, url, score, scores } = passage;
    return { number, title: LEFT_OUT, text: "", headings: [], page: null, url, score, scores, leftOut: true };
  };
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const passages = part.type === "tool" ? passagesOf(part.output) : undefined;
      if (part.type !== "tool" || !passages?.some(isHidden)) return part;
      return { ...part, output: { passages: passages.map(hide) } };
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

/** @param origin the console's, for links to cited passages @throws AppError `not_found` */
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
  const messages = hidePassages(actor, conversation.messages);
  return {
    name: `${fileName(conversation.title)}.${extension}`,
    type,
    pieces: write({ ...conversation, origin, messages }, parse),
  };
}
