import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { getDocument, listDocuments } from "~/work/documents/documents.service.server";
import { readText } from "~/work/documents/versions/document-parts.service.server";

const PAGE_SIZE = 100;
/** In characters. */
const TEXT_LIMIT = 60_000;
const MIME_TYPE = "text/plain";

// No authority: some clients write it in lower case.
const ADDRESS = /^document:\/\/\/([\w-]{1,64})(?:\?from=(\d{1,12}))?$/;
const addressOf = (id: string, from = 0) => `document:///${id}${from > 0 ? `?from=${from}` : ""}`;

export const documentTemplates = [
  {
    uriTemplate: "document:///{id}{?from}",
    name: "document",
    title: "Document",
    description: `The extracted text of a document by its ID, from a position on, ${TEXT_LIMIT} characters at a time.`,
    mimeType: MIME_TYPE,
  },
];

export async function listResources(actor: Actor, cursor: string | undefined) {
  const { documents, next } = await listDocuments(actor, { status: "ready", limit: PAGE_SIZE, cursor });
  return {
    resources: documents.map(({ id, name, updatedAt, metadata: { category } }) => ({
      uri: addressOf(id),
      name,
      description: `Category: ${category}`,
      mimeType: MIME_TYPE,
      annotations: { lastModified: updatedAt },
    })),
    ...(next !== undefined && { nextCursor: next }),
  };
}

/** Joins the stored pages of a text up to the limit. */
function textFrom(actor: Actor, id: string, from: number): { text: string; end: number; length: number } {
  let page = readText(actor, id, { from });
  let text = page.text.slice(Math.max(0, from - page.start));
  while (page.next !== null && text.length < TEXT_LIMIT) {
    page = readText(actor, id, { from: page.next });
    text += page.text;
  }
  const cut = clip(text, TEXT_LIMIT);
  return { text: cut, end: from + cut.length, length: page.length };
}

/** @throws AppError `not_found`; `invalid` if the document has no text yet */
export function readResource(actor: Actor, uri: string) {
  const [, id = "", position = "0"] = ADDRESS.exec(uri) ?? [];
  if (!id) throw new AppError("not_found", "Resource not found.");
  const from = Number(position);
  const { status } = getDocument(actor, id);
  const { text, end, length } = textFrom(actor, id, from);
  if (length === 0 && status !== "ready")
    throw new AppError("invalid", "The document has no text yet. Try again once it is ready.");
  const rest =
    end < length && text !== ""
      ? `\n\n[${end} of ${length} characters. Continue at ${addressOf(id, end)}]`
      : "";
  return { contents: [{ uri, mimeType: MIME_TYPE, text: text + rest }] };
}
