// Without zod, because the chat screen uses it in the browser.

export interface QuotedPassage {
  /** Citation number, from 1. */
  number: number;
  title: string;
  text: string;
  headings: string[];
  /** Of the sentence that answers, if it is known, else the passage's first. */
  page: number | null;
  /** The passage's last page, if any page from the first on may answer. */
  lastPage?: number | undefined;
  /** Name of the workbook's sheet. */
  sheet?: string | undefined;
  url: string;
  question?: string | undefined;
  /** 0 to 1, within one result. */
  score: number;
  /** Keyword rank from 1, cosine similarity -1 to 1, and the reranking score. */
  scores: { keyword: number | null; similarity: number | null; rerank: number | null };
}

/** Of a result of the web search, which stands beside passages of documents. */
export const isWebPage = (url: string): boolean => /^https?:/i.test(url);

/** Of other tools, only document pages become links. */
const DOCUMENT_PAGE = /^\/rag\/[\w%.~-]+(?:\?[\w=&%.-]*)?(?:#[\w-]*)?$/;

function isPassage(value: unknown): value is QuotedPassage {
  if (typeof value !== "object" || value === null) return false;
  const { number, title, text, headings, page, lastPage, url, score, scores } = value as Record<
    string,
    unknown
  >;
  return (
    typeof score === "number" &&
    typeof scores === "object" &&
    scores !== null &&
    typeof number === "number" &&
    typeof title === "string" &&
    typeof text === "string" &&
    Array.isArray(headings) &&
    headings.every((heading) => typeof heading === "string") &&
    (page === null || typeof page === "number") &&
    (lastPage === undefined || typeof lastPage === "number") &&
    typeof url === "string" &&
    DOCUMENT_PAGE.test(url)
  );
}

export function passagesOf(result: unknown): QuotedPassage[] | undefined {
  if (typeof result !== "object" || result === null || !("passages" in result)) return undefined;
  return Array.isArray(result.passages) ? result.passages.filter(isPassage) : undefined;
}

/** Maximum length of a question in a URL, in characters. */
const QUESTION_MAX = 300;

/** URL of a passage with the question's best sentences highlighted. */
export function addressFor({ url, question }: { url: string; question?: string | undefined }): string {
  if (!question || isWebPage(url) || !url.includes("?")) return url;
  return url.replace("?", `?${new URLSearchParams({ about: question.slice(0, QUESTION_MAX) })}&`);
}

export function locationOf({
  headings,
  page,
  lastPage,
  sheet,
}: Pick<QuotedPassage, "headings" | "page" | "lastPage" | "sheet">): string {
  const path = headings.join(" › ");
  if (typeof sheet === "string")
    return headings[0] === sheet ? path : [path, sheet].filter(Boolean).join(", ");
  const pages = lastPage === undefined ? `page ${page}` : `pages ${page}–${lastPage}`;
  return [path, page === null ? "" : pages].filter(Boolean).join(", ");
}

/** Offsets in characters. */
interface PassageLocation {
  documentId: string;
  version: number;
  start: number;
  end: number;
}

export function passageUrl({ documentId, version, start, end }: PassageLocation): string {
  return `/rag/${encodeURIComponent(documentId)}?from=${start}&to=${end}&version=${version}#passage`;
}
