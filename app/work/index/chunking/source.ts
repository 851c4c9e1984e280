import { weigh } from "~/core/count-tokens";
import type { Block } from "~/work/extraction/document";
import type { Atom } from "./atoms";
import type { Chunking } from "./chunk";

export class Source {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly atoms: readonly Atom[];
  readonly chunking: Chunking;
  /** Tokens before each atom. */
  readonly #before: Float64Array;
  readonly #ofBlocks = new Map<Block, number>();

  constructor(text: string, blocks: readonly Block[], atoms: readonly Atom[], chunking: Chunking) {
    this.text = text;
    this.blocks = blocks;
    this.atoms = atoms;
    this.chunking = chunking;
    this.#before = new Float64Array(atoms.length + 1);
    for (const [at, atom] of atoms.entries()) {
      const next = atoms[at + 1]?.start ?? atom.end;
      this.#before[at + 1] = (this.#before[at] ?? 0) + weigh(text, atom.start, next);
    }
  }

  weight(from: number, end: number): number {
    return (this.#before[end] ?? 0) - (this.#before[from] ?? 0);
  }

  kind(at: number): Block["kind"] | undefined {
    return this.blockOf(at)?.kind;
  }

  blockOf(at: number): Block | undefined {
    const atom = this.atoms[at];
    return atom && this.blocks[atom.block];
  }

  blockWeight(at: number): number {
    const block = this.blockOf(at);
    if (!block) return 0;
    const cached = this.#ofBlocks.get(block);
    if (cached !== undefined) return cached;
    const weight = weigh(this.text, block.start, block.end);
    this.#ofBlocks.set(block, weight);
    return weight;
  }

  /** The table header to repeat before a row; empty if there is none. */
  headerFor(at: number): string {
    const block = this.blockOf(at);
    if (!block?.header || this.atoms[at]?.isFirst) return "";
    const end = this.text.indexOf("\n", block.start);
    const header = this.text.slice(block.start, end < 0 ? block.end : Math.min(end, block.end));
    return weigh(header, 0, header.length) <= this.chunking.target / 4 ? header : "";
  }
}
