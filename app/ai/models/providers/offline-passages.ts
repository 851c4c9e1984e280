import { bestSentences, countKeywords, keywordsOf } from "~/core/language/quote.shared";
import { locationOf, passagesOf, type QuotedPassage } from "../quoted-passages.shared";

const MAX_QUOTES = 3;
const QUOTE_LENGTH = 360;
/** Minimum similarity of a passage without a shared word. */
const MIN_SIMILARITY = 0.45;

const TRY_OTHERS = "Try other words, or [add documents](/rag?dialog=ingest&tab=file).";

function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>~]/g, "\\$&")
    .replace(/^(\s*)([#+-])/gm, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/gm, "$1\\$2");
}

/** Passages with most of the question's keywords, in the search's order. */
function selectRelevant(passages: readonly QuotedPassage[], question: string): QuotedPassage[] {
  const keywords = keywordsOf(question);
  const counted = passages.map((passage) => {
    const { title, headings, text } = passage;
    return { passage, count: countKeywords([title, ...headings, text].join("\n"), keywords) };
  });
  const max = Math.max(0, ...counted.map(({ count }) => count));
  if (max === 0) return passages.filter(({ scores }) => (scores.similarity ?? 0) >= MIN_SIMILARITY);
  return counted.filter(({ count }) => count > max / 2).map(({ passage }) => passage);
}

function quote(passage: QuotedPassage, question: string): string {
  const location = locationOf(passage);
  // Drops list markers from a quote.
  const text = bestSentences(passage.text, question, QUOTE_LENGTH).replace(/^\s*[-*+•]\s+/gm, "");
  const lines = escapeMarkdown(text).split(/\s*\n\s*/);
  const head = `[${passage.number}](${passage.url}) **${escapeMarkdown(passage.title).replace(/\s+/g, " ")}**`;
  return `${head}${location ? ` · ${escapeMarkdown(location)}` : ""}\n\n${lines.map((line) => `> ${line}`).join("  \n")}`;
}

/** Undefined for results that aren't passages. */
export function quotePassages(result: unknown, question: string): string | undefined {
  const passages = passagesOf(result);
  if (!passages) return undefined;
  const best = selectRelevant(passages, question).slice(0, MAX_QUOTES);
  const { notice } = result as { notice?: unknown };
  const remarks = typeof notice === "string" ? [escapeMarkdown(notice)] : [];
  if (best.length > 0) {
    const quotes = best.map((passage) => quote(passage, question));
    return ["Found in your documents:", ...quotes, ...remarks].join("\n\n");
  }
  if (passages.length === 0 && remarks[0]) return remarks[0];
  return [`No matching passages. ${TRY_OTHERS}`, ...remarks].join("\n\n");
}
