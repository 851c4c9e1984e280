import type { Block } from "../markdown/tree.schema";

/**
 * The levels of an answer's headings below the page's own `h1`: none is skipped, however deep the model begins. A level
 * depends on what is before it alone, so that it stays while the answer grows.
 */
export function headingLevels(blocks: readonly Block[]): ReadonlyMap<Block, number> {
  const open: number[] = [];
  const levels = new Map<Block, number>();
  for (const block of blocks) {
    if (block.t !== "heading") continue;
    while ((open.at(-1) ?? 0) >= block.depth) open.pop();
    open.push(block.depth);
    levels.set(block, Math.min(6, open.length + 1));
  }
  return levels;
}
