import type { Block } from "../markdown/tree.shared";

/**
 * Levels below the page's `h1` without gaps. A level depends only on what is before it, so that it stays while the
 * answer grows.
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
