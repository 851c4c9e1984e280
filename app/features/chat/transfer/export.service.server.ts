import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { clip } from "~/core/well-formed";
import { append } from "~/features/audit/audit.service.server";
import { areVisibleTo } from "~/features/knowledge/documents/documents.service.server";
import { listAllBranches, listBranch } from "../branches.repo.server";
import { readConversationWith } from "../conversations.service.server";
import type { ExportFormat } from "./export.schema";
import { WRITERS } from "./export-texts";
import { hidePassages } from "./hide-passages.server";

/** Maximum length of a file name without its extension. */
const NAME_LENGTH = 60;

export interface ExportFile {
  name: string;
  type: string;
  pieces: AsyncIterator<string>;
}

async function* withYields(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) yield piece;
}

function fileName(title: string): string {
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "");
  return clip(name, NAME_LENGTH).toLowerCase() || "conversation";
}

/** @throws AppError `not_found` */
export function exportConversation(actor: Actor, id: string, format: ExportFormat): ExportFile {
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
      write({
        ...conversation,
        messages: hidePassages(conversation.messages, (document) => areVisibleTo(actor, [document])),
      }),
    ),
  };
}
