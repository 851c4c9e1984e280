import type { TextBlock, TextPage } from "./document-view.schema";

/** About how much of a text stands on a page, in characters. */
export const PAGE_CHARACTERS = 50_000;

/** A piece of a text as it is stored. */
interface StoredPiece {
  start: number;
  text: string;
  blocks: TextBlock[];
}

/** Where the pages of a stored piece begin, in the whole text: one, unless a single block made it very long. */
export function pageStarts({ start, text }: Pick<StoredPiece, "start" | "text">): number[] {
  const pages = Math.max(1, Math.round(text.length / PAGE_CHARACTERS));
  const size = Math.ceil(text.length / pages);
  return Array.from({ length: pages }, (_, n) => start + whole(text, n * size));
}

/** A place that doesn't cut a character that takes two units. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** The page of a piece that holds a place, without its neighbours in other pieces. */
export function pageAt(piece: StoredPiece, at: number): Omit<TextPage, "length"> {
  const starts = pageStarts(piece);
  const index = Math.max(
    0,
    starts.findLastIndex((start) => start <= at),
  );
  const start = starts[index] ?? piece.start;
  const end = starts[index + 1] ?? piece.start + piece.text.length;
  return {
    start,
    end,
    text: piece.text.slice(start - piece.start, end - piece.start),
    blocks: piece.blocks
      .filter((block) => block.start < end && block.end > start)
      .map((block) => ({ ...block, start: Math.max(block.start, start), end: Math.min(block.end, end) })),
    previous: starts[index - 1] ?? null,
    next: starts[index + 1] ?? null,
  };
}
