import { isWebPage, passagesOf, type QuotedPassage } from "~/ai/models/quoted-passages.shared";
import type { MessagePart } from "./chat.schema";

// Without zod: the browser finds sources while an answer streams.

export interface AnswerSource {
  /** Number within the answer, from 1. */
  number: number;
  passage: QuotedPassage;
  cited: boolean;
}

export interface AnswerSources {
  list: AnswerSource[];
  /** By the passage's URL, as links use it. */
  byUrl: ReadonlyMap<string, AnswerSource>;
  /** By its number in a search, if unambiguous. */
  byNumber: ReadonlyMap<number, AnswerSource>;
}

/** A number in brackets that isn't a link's text. */
export const BARE_CITATION = /\[(\d{1,2})\](?!\()/g;

/** Passages found earlier, by the number the model saw; the latest wins. */
export type EarlierPassages = ReadonlyMap<number, QuotedPassage>;

const NOTHING: EarlierPassages = new Map();

function questionOf(input: unknown): string | undefined {
  const { query } = (input ?? {}) as { query?: unknown };
  return typeof query === "string" ? query : undefined;
}

/** Its results are sources as passages of documents are. Other tools' names have a prefix of their own. */
const WEB_SEARCH = "web-search.search";

function pagesOf(output: unknown): QuotedPassage[] {
  const { results } = (output ?? {}) as { results?: unknown };
  if (!Array.isArray(results)) return [];
  return results.flatMap((result: Record<string, unknown> | null) => {
    const { number, title, url, text } = result ?? {};
    if (typeof number !== "number" || typeof url !== "string" || !isWebPage(url) || !URL.canParse(url))
      return [];
    const scores = { keyword: null, similarity: null, rerank: null };
    const shown = { title: String(title), text: String(text), headings: [new URL(url).host] };
    return [{ ...shown, number, url, page: null, score: 0, scores }];
  });
}

function searchedIn(parts: readonly MessagePart[]): QuotedPassage[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool" || part.state !== "done") return [];
    if (part.toolName === WEB_SEARCH) return pagesOf(part.output);
    return (passagesOf(part.output) ?? []).map((passage) => ({
      ...passage,
      question: questionOf(part.input),
    }));
  });
}

// Memoized: it is asked again with every word of a growing answer.
const followed = new WeakMap<object, { before: EarlierPassages; after: EarlierPassages }>();

export function earlierPassages(
  messages: readonly { parts: readonly MessagePart[] }[],
): readonly EarlierPassages[] {
  let earlier = NOTHING;
  return messages.map((message) => {
    const before = earlier;
    const cached = followed.get(message);
    if (cached?.before === before) earlier = cached.after;
    else {
      const results = searchedIn(message.parts);
      if (results.length > 0)
        earlier = new Map([...before, ...results.map((passage) => [passage.number, passage] as const)]);
      followed.set(message, { before, after: earlier });
    }
    return before;
  });
}

/** The distinct passages of an answer in order, then the earlier ones it cites. */
export function sourcesOf(parts: readonly MessagePart[], earlier: EarlierPassages = NOTHING): AnswerSources {
  const byUrl = new Map<string, AnswerSource>();
  const numbered = new Map<number, Set<AnswerSource>>();
  for (const passage of searchedIn(parts)) {
    const source = byUrl.get(passage.url) ?? { number: byUrl.size + 1, passage, cited: false };
    byUrl.set(passage.url, source);
    numbered.set(passage.number, (numbered.get(passage.number) ?? new Set()).add(source));
  }
  const byNumber = new Map<number, AnswerSource>();
  for (const [number, [source, ...others]] of numbered)
    if (source && others.length === 0) byNumber.set(number, source);
  if (byUrl.size === 0 && earlier.size === 0) return { list: [], byUrl, byNumber };
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const bare = new Set([...text.matchAll(BARE_CITATION)].map(([, number]) => Number(number)));
  const take = (number: number, passage: QuotedPassage) => {
    const source = byUrl.get(passage.url) ?? { number: freeNumber(byUrl, number), passage, cited: true };
    byUrl.set(passage.url, source);
    return source;
  };
  for (const number of bare) {
    const passage = numbered.has(number) ? undefined : earlier.get(number);
    if (passage) byNumber.set(number, take(number, passage));
  }
  for (const [number, passage] of earlier) if (text.includes(`](${passage.url})`)) take(number, passage);
  for (const source of byUrl.values()) source.cited ||= text.includes(`](${source.passage.url})`);
  for (const number of bare) {
    const source = byNumber.get(number);
    if (source) source.cited = true;
  }
  return { list: [...byUrl.values()], byUrl, byNumber };
}

/** The model's number unless another passage has it. */
function freeNumber(byUrl: ReadonlyMap<string, AnswerSource>, preferred: number): number {
  const usedNumbers = new Set([...byUrl.values()].map(({ number }) => number));
  return usedNumbers.has(preferred) ? Math.max(...usedNumbers) + 1 : preferred;
}
