import { findBestSentences } from "~/core/language/quote.shared";
import type { Block } from "~/work/extraction/document.schema";

interface Excerpt {
  text: string;
  /** With offsets in the document's text. */
  blocks: readonly Block[];
  /** Offset of the excerpt in the document's text, in characters. */
  start: number;
}

interface Passage {
  start: number;
  end: number;
}

/** Pages of a passage, from 1; `last` is above `page` if it isn't known which of them answers. */
interface AnswerPages {
  page: number;
  last: number;
}

/**
 * The page of the sentence in a passage that matches a question best, else all pages that the passage is on.
 * @returns undefined if the document has no pages there
 */
export function answerPages(
  { text, blocks, start }: Excerpt,
  passage: Passage,
  question: string,
): AnswerPages | undefined {
  const from = Math.max(passage.start, start);
  const to = Math.min(passage.end, start + text.length);
  const spanOf = (places: readonly number[]): AnswerPages | undefined => {
    const pages = places.flatMap((at) => blocks.find(({ end }) => end > at)?.page ?? []);
    return pages.length > 0 ? { page: Math.min(...pages), last: Math.max(...pages) } : undefined;
  };
  const whole = spanOf([from, to - 1]);
  if (!whole || whole.page === whole.last) return whole;
  const best = findBestSentences(text.slice(from - start, to - start), question);
  return spanOf(best.map((at) => from + at)) ?? whole;
}
