import type { Block } from "~/work/extraction/document";
import type { Atom } from "./atoms";

export interface Section {
  level: number;
  path: string[];
  from: number;
  /** Start of the first subsection, or the section's end. */
  ownEnd: number;
  end: number;
  sections: Section[];
}

/** In characters; longer headings are truncated. */
const MAX_HEADING_LENGTH = 200;

/** Builds the tree of headings. The root holds the text before the first heading. */
export function findSections(text: string, blocks: readonly Block[], atoms: readonly Atom[]): Section {
  const root: Section = { level: 0, path: [], from: 0, ownEnd: 0, end: atoms.length, sections: [] };
  const open = [root];
  const close = (section: Section, at: number) => {
    section.end = at;
    section.ownEnd = section.sections[0]?.from ?? at;
  };
  for (const [at, atom] of atoms.entries()) {
    const block = blocks[atom.block];
    if (block?.kind !== "heading" || !atom.isFirst) continue;
    const level = block.level ?? 1;
    for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
      close(last, at);
      open.pop();
    }
    const parent = open.at(-1) ?? root;
    const name = text.slice(block.start, Math.min(block.end, block.start + MAX_HEADING_LENGTH));
    const section = { level, path: [...parent.path, name], from: at, ownEnd: at, end: at, sections: [] };
    parent.sections.push(section);
    open.push(section);
  }
  for (const section of open) close(section, atoms.length);
  return root;
}
