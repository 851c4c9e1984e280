// Without a schema library: the chat's screen reads passages too, and would carry it to the browser.

/** A passage of a document as a tool hands it to a model, and as an answer lists it among its sources. */
export interface QuotedPassage {
  /** Its place in the result, from 1: what an answer cites. */
  number: number;
  title: string;
  text: string;
  /** The headings it is under, outermost first. */
  headings: string[];
  page: number | null;
  /** The console's own page that shows it. */
  url: string;
  /** What the search that found it asked for. */
  question?: string | undefined;
  /** 0 to 1, within one result. */
  score: number;
  /** Where the score came from: its rank by keywords, from 1; the cosine of the meanings, -1 to 1; the reranking model. */
  scores: { keyword: number | null; similarity: number | null; rerank: number | null };
}

/** The console's page of a document: no other address of a result becomes a link. */
const DOCUMENT_PAGE = /^\/rag\/[\w%.~-]+(?:\?[\w=&%.-]*)?(?:#[\w-]*)?$/;

function isPassage(value: unknown): value is QuotedPassage {
  if (typeof value !== "object" || value === null) return false;
  const { number, title, text, headings, page, url, score, scores } = value as Record<string, unknown>;
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
    typeof url === "string" &&
    DOCUMENT_PAGE.test(url)
  );
}

/** The passages of a tool's result; undefined where it is the result of something else. */
export function passagesOf(result: unknown): QuotedPassage[] | undefined {
  if (typeof result !== "object" || result === null || !("passages" in result)) return undefined;
  return Array.isArray(result.passages) ? result.passages.filter(isPassage) : undefined;
}

/** The longest question that an address carries, in characters. */
const QUESTION_MAX = 300;

/** The page of a passage where the sentences that answer a question are marked strongly. */
export function addressFor({ url, question }: { url: string; question?: string | undefined }): string {
  if (!question || !url.includes("?")) return url;
  return url.replace("?", `?${new URLSearchParams({ about: question.slice(0, QUESTION_MAX) })}&`);
}

/** Where in its document a passage stands, for a person. */
export function placeOf({ headings, page }: Pick<QuotedPassage, "headings" | "page">): string {
  const path = headings.join(" › ");
  return [path, page === null ? "" : `page ${page}`].filter(Boolean).join(", ");
}
