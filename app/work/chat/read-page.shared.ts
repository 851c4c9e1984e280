// Without zod: loaded with the chat.

export interface ReadPage {
  url: string;
  title: string;
  text: string;
}

/** Undefined for another tool's result. */
export function readPageOf(output: unknown): ReadPage | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const { url, title, text } = output as Record<string, unknown>;
  if (typeof url !== "string" || typeof text !== "string" || !/^https?:\/\//i.test(url)) return undefined;
  return { url, title: typeof title === "string" && title.trim() !== "" ? title.trim() : url, text };
}

/** Minimum length; shorter quotes occur anywhere. */
const MIN_QUOTE_LENGTH = 12;
const MAX_QUOTES = 100;

function quotesIn(answer: string): string[] {
  const inMarks = [...answer.matchAll(/"([^"\n]{12,600})"|“([^”\n]{12,600})”|„([^“\n]{12,600})“/g)];
  const lines = [...answer.matchAll(/^>[ \t]?(.{12,600})$/gm)];
  return [...inMarks, ...lines]
    .map(([, ...groups]) => (groups.find((group) => group !== undefined) ?? "").trim())
    .filter((quote) => quote.length >= MIN_QUOTE_LENGTH)
    .slice(0, MAX_QUOTES);
}

export function markQuotes(text: string, answer: string): { text: string; quoted: boolean }[] {
  const quotes = quotesIn(answer)
    .map((quote) => ({ from: text.indexOf(quote), length: quote.length }))
    .filter(({ from }) => from >= 0)
    .sort((a, b) => a.from - b.from);
  const pieces: { text: string; quoted: boolean }[] = [];
  let at = 0;
  for (const { from, length } of quotes) {
    const start = Math.max(from, at);
    const end = from + length;
    if (end <= at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), quoted: false });
    pieces.push({ text: text.slice(start, end), quoted: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), quoted: false });
  return pieces;
}
