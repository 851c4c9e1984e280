import { appendBlocks, MarkdownReader } from "./parse.shared";
import { type Segment, segmentsOf } from "./segments.shared";
import type { Block, RenderedText } from "./tree.shared";

/** Parse time after which the open segment stays plain text while it grows, in ms. */
const SLOW = 12;

/** Parses a growing text: finished segments once, the end on every change, long texts in batches. */
export class LiveMarkdown {
  #text = "";
  #reader = new MarkdownReader();
  /** Of the finished segments. */
  #blocks: Block[] = [];
  #read = 0;
  #joined = false;
  #slowAt = -1;
  #waiting: Segment[] = [];
  #tail: Segment[] = [];

  /**
   * @param sliceMs time limit of this call, in ms; the next one parses the rest
   * @returns the tree, and whether it covers the whole text
   */
  grow(text: string, sliceMs: number): { tree: RenderedText; whole: boolean } {
    const end = performance.now() + sliceMs;
    if (!text.startsWith(this.#text)) this.#begin();
    if (text.length !== this.#text.length || text.length === 0) this.#cut(text);
    let segment = this.#waiting[0];
    while (segment && performance.now() < end) {
      this.#waiting.shift();
      appendBlocks(this.#blocks, this.#reader.read(text, segment), segment.joined);
      segment = this.#waiting[0];
    }
    const blocks = [...this.#blocks];
    if (segment) blocks.push({ t: "plain", from: segment.start, to: text.length });
    else for (const open of this.#tail) appendBlocks(blocks, this.#readOpen(text, open), open.joined);
    return { tree: { length: text.length, nodes: this.#reader.nodes, blocks }, whole: !segment };
  }

  #begin(): void {
    this.#reader = new MarkdownReader();
    this.#blocks = [];
    this.#waiting = [];
    this.#tail = [];
    this.#text = "";
    this.#slowAt = -1;
    this.#read = 0;
    this.#joined = false;
  }

  #cut(text: string): void {
    // An unfinished line isn't classified yet.
    const range = { from: this.#read, to: text.lastIndexOf("\n") + 1, joined: this.#joined };
    const { done, open } = segmentsOf(text, range);
    this.#text = text;
    this.#waiting = this.#waiting.concat(done);
    this.#reader.define(text, done);
    this.#read = open?.start ?? done.at(-1)?.end ?? this.#read;
    this.#joined = open?.joined ?? false;
    const tail = segmentsOf(text, { from: this.#read, joined: this.#joined });
    this.#tail = tail.open ? [...tail.done, tail.open] : tail.done;
  }

  #readOpen(text: string, open: Segment): Block[] {
    if (this.#slowAt === open.start) return [{ t: "plain", from: open.start, to: open.end }];
    const before = performance.now();
    const blocks = this.#reader.read(text, open, false);
    if (performance.now() - before > SLOW) this.#slowAt = open.start;
    return blocks;
  }
}
