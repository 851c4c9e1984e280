import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { bestSentences } from "~/core/language/quote.shared";
import { Facts, hasPictures } from "~/work/extraction/document.schema";
import { encodingName } from "~/work/extraction/encodings.shared";
import { pageRecognizer } from "~/work/extraction/recognition/recognize.service.server";
import { answerPages } from "~/work/search/answer-pages.shared";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { listPossibleReaders } from "../access/document-readers.service.server";
import type { DocumentDetail, TextPage } from "../documents.schema";
import { getDocument } from "../documents.service.server";
import {
  listDocumentChunks,
  listVersions,
  readOriginal,
  readText,
} from "../versions/document-parts.service.server";
import { listEncodings } from "../versions/encoding-choices.server";
import { findVersionByNumber } from "../versions/versions.repo.server";
import type { DocumentFinding, DocumentScreenData, DocumentScreenQuery } from "./document-screen.schema";

const CHUNKS_ON_PAGE = 20;
const MAX_RESULTS = 20;
const VERSIONS_ON_PAGE = 20;
/** Longer texts can't be edited in the form (bytes). */
const MAX_EDITABLE_BYTES = 100_000;

export async function readDocumentScreen(
  actor: Actor,
  id: string,
  screenQuery: DocumentScreenQuery,
  signal?: AbortSignal,
): Promise<DocumentScreenData> {
  const document = getDocument(actor, id);
  const mayOpen = screenQuery.dialog === "rename" || document.mayManage;
  const query = mayOpen ? screenQuery : { ...screenQuery, dialog: undefined };
  return {
    document,
    query,
    canRecognize:
      hasPictures(document.version?.facts ?? Facts.parse({})) && pageRecognizer(actor.orgId) !== undefined,
    ...tabOf(actor, id, query),
    ...(query.tab === "search" && query.q ? { finding: await findIn(actor, id, query.q, signal) } : {}),
    ...(query.dialog === "access" ? { colleagues: listPossibleReaders(actor) } : {}),
    ...(document.version?.facts.encoding ? { encoding: encodingName(document.version.facts.encoding) } : {}),
    ...(query.dialog === "encoding" ? { encodings: listEncodings(document) } : {}),
    ...(query.dialog === "version" ? readCurrentText(actor, document) : {}),
  };
}

function tabOf(actor: Actor, id: string, query: DocumentScreenQuery): Partial<DocumentScreenData> {
  const { tab, cursor } = query;
  switch (tab) {
    case "text":
      return readCited(actor, id, query);
    case "chunks":
      return listDocumentChunks(actor, id, { limit: CHUNKS_ON_PAGE, cursor });
    case "versions":
      return listVersions(actor, id, { limit: VERSIONS_ON_PAGE, cursor });
    case "search":
    case "details":
      return {};
  }
}

/** The cited text: its own version if available, else the current one. */
function readCited(actor: Actor, id: string, query: DocumentScreenQuery): Partial<DocumentScreenData> {
  const { from = 0, version: number } = query;
  const version = number === undefined ? undefined : findVersionByNumber(db(), id, number);
  const isLost = number !== undefined && !version;
  const text = readText(actor, id, isLost ? { from: 0 } : { from, version: number });
  // Purging removes a version's text piece by piece.
  if (number !== undefined && (isLost || (version?.state === "replaced" && text.length === 0)))
    return {
      text: isLost ? text : readText(actor, id, { from: 0 }),
      lostVersion: number,
      // The positions belong to the version that is gone.
      query: { ...query, from: undefined, to: undefined, version: undefined },
    };
  const { to = 0, about = "" } = query;
  const citedPage = to > from ? answerPages(text, { start: from, end: to }, about)?.page : undefined;
  return { text, ...quoteIn(text, query), citedPage };
}

/** In characters, like the quotes of the built-in model. */
const QUOTE_LENGTH = 360;

function quoteIn(
  page: TextPage,
  { from = 0, to = 0, about }: DocumentScreenQuery,
): Pick<DocumentScreenData, "quote"> {
  if (!about || to <= from) return {};
  const passage = page.text.slice(Math.max(0, from - page.start), Math.max(0, to - page.start));
  const words = bestSentences(passage, about, QUOTE_LENGTH).replace(/^… | …$/g, "");
  const at = words ? passage.indexOf(words) : -1;
  if (at < 0 || words.length === passage.trim().length) return {};
  const start = Math.max(from, page.start) + at;
  return { quote: { start, end: start + words.length } };
}

async function findIn(
  actor: Actor,
  documentId: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<DocumentFinding> {
  try {
    const input = SearchInput.parse({ query, topK: MAX_RESULTS, filters: { documentId } });
    const { results, notice } = await searchDocuments(actor, input, signal);
    return { results, notice };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

function readCurrentText(actor: Actor, { id, metadata, version }: DocumentDetail): { present?: string } {
  if (metadata.type !== "text" || !version?.sha256 || version.size > MAX_EDITABLE_BYTES) return {};
  return { present: Buffer.concat([...readOriginal(actor, id).pieces]).toString("utf8") };
}
