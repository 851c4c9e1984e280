import { appendBlocks, MarkdownReader, type Part } from "./parse.shared";
import type { Block, RenderedText } from "./tree.shared";

/** Parse time of the last block after which the rest of it waits, in ms, and how many times as long it waits. */
const SLOW = 12;
const WAIT = 8;

/** Parses a growing text: finished blocks once, the last one on every change, long texts in batches. */
export class LiveMarkdown {
  #text = "";
  #reader = new MarkdownReader();
  #blocks: Block[] = [];
  /** Where the unfinished part begins, and whether it continues a list. */
  #from = 0;
  #joined = false;
  /** The unfinished part's last parse, if it was slow. */
  #slow: { start: number; end: number; until: number; blocks: Block[] } | undefined;

  /**
   * @param sliceMs time limit of this call, in ms; the next one parses the rest
   * @returns the tree, whether it covers the text, and whether the end waits for a pause: a call with the same text
   * parses it
   */
  grow(text: string, sliceMs: number): { tree: RenderedText; whole: boolean; pausing: boolean } {
    const end = performance.now() + sliceMs;
    if (!text.startsWith(this.#text)) this.#begin();
    const isGrowing = text.length !== this.#text.length;
    this.#text = text;
    const unread = (from: number): Block => ({ t: "plain", from, to: text.length, unread: true });
    const treeOf = (blocks: Block[]) => ({ length: text.length, nodes: this.#reader.nodes, blocks });
    while (performance.now() < end) {
      const { done, open, isRest } = this.#reader.split(text, this.#from, this.#joined);
      for (const part of done) appendBlocks(this.#blocks, this.#reader.read(part), part.joined);
      this.#from = open[0]?.start ?? done.at(-1)?.end ?? this.#from;
      this.#joined = open[0]?.joined ?? false;
      if (!isRest) continue;
      const blocks = [...this.#blocks];
      const slow = this.#slow?.start === this.#from ? this.#slow : undefined;
      if (slow && isGrowing && performance.now() < slow.until) {
        appendBlocks(blocks, slow.blocks, this.#joined);
        return { tree: treeOf([...blocks, unread(slow.end)]), whole: true, pausing: true };
      }
      this.#readOpen(text, open, blocks);
      return { tree: treeOf(blocks), whole: true, pausing: false };
    }
    return { tree: treeOf([...this.#blocks, unread(this.#from)]), whole: false, pausing: false };
  }

  #readOpen(text: string, open: readonly Part[], blocks: Block[]): void {
    const before = performance.now();
    const more: Block[] = [];
    for (const part of open) appendBlocks(more, this.#reader.read(part, false), part.joined);
    const after = performance.now();
    const took = after - before;
    this.#slow =
      took > SLOW
        ? { start: this.#from, end: text.length, until: after + WAIT * took, blocks: more }
        : undefined;
    appendBlocks(blocks, more, this.#joined);
  }

  #begin(): void {
    this.#reader = new MarkdownReader();
    this.#blocks = [];
    this.#from = 0;
    this.#joined = false;
    this.#slow = undefined;
  }
}
