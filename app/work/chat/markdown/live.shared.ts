import { appendBlocks, MarkdownReader } from "./parse.shared";
import { type Segment, segmentsOf } from "./segments.shared";
import type { Block, RenderedText } from "./tree.shared";

/** Parse time after which the rest of the open segment waits for a pause of the text, in ms. */
const SLOW = 12;

/** Parses a growing text: finished segments once, the end on every change, long texts in batches. */
export class LiveMarkdown {
  #text = "";
  #reader = new MarkdownReader();
  /** Of the finished segments. */
  #blocks: Block[] = [];
  #read = 0;
  #joined = false;
  /** The open segment's last parse, if it was slow. */
  #slow: { start: number; end: number; blocks: Block[] } | undefined;
  #waiting: Segment[] = [];
  #tail: Segment[] = [];

  /**
   * @param sliceMs time limit of this call, in ms; the next one parses the rest
   * @returns the tree, whether it covers all finished segments, and whether the end waits for a pause: a call with the
   * same text parses it
   */
  grow(text: string, sliceMs: number): { tree: RenderedText; whole: boolean; pausing: boolean } {
    const end = performance.now() + sliceMs;
    if (!text.startsWith(this.#text)) this.#begin();
    const isGrowing = text.length !== this.#text.length;
    if (isGrowing || text.length === 0) this.#cut(text);
    let segment = this.#waiting[0];
    while (segment && performance.now() < end) {
      this.#waiting.shift();
      appendBlocks(this.#blocks, this.#reader.read(text, segment), segment.joined);
      segment = this.#waiting[0];
    }
    const blocks = [...this.#blocks];
    if (segment) blocks.push({ t: "plain", from: segment.start, to: text.length, unread: true });
    else
      for (const open of this.#tail) appendBlocks(blocks, this.#readOpen(text, open, isGrowing), open.joined);
    const tree = { length: text.length, nodes: this.#reader.nodes, blocks };
    const last = blocks.at(-1);
    return { tree, whole: !segment, pausing: !segment && last?.t === "plain" && last.unread === true };
  }

  #begin(): void {
    this.#reader = new MarkdownReader();
    this.#blocks = [];
    this.#waiting = [];
    this.#tail = [];
    this.#text = "";
    this.#slow = undefined;
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

  #readOpen(text: string, { start, end, ...open }: Segment, isGrowing: boolean): Block[] {
    const slow = this.#slow?.start === start ? this.#slow : undefined;
    if (slow && isGrowing) return [...slow.blocks, { t: "plain", from: slow.end, to: end, unread: true }];
    const before = performance.now();
    const blocks = this.#reader.read(text, { start, end, ...open }, false);
    if (performance.now() - before > SLOW) this.#slow = { start, end, blocks };
    else if (slow) this.#slow = undefined;
    return blocks;
  }
}
