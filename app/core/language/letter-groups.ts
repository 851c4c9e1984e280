import { foldText } from "./fold";

/** Characters of a group; pairs and triples mean more in scripts where a character is a syllable or a word. */
const LENGTH = 4;
const LENGTH_UNSPACED = 3;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const MAX_GROUPS = 400;

/** BM25's constants, as in FTS5. */
const K1 = 1.2;
const B = 0.75;

const spaced = (text: string) =>
  ` ${foldText(text)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim()} `;

function hashAt(text: string, at: number, length: number): number {
  let value = 0x811c9dc5;
  for (let index = at; index < at + length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value ^ (value >>> 15);
}

function groupsOf(query: string): { length: number; slots: Map<number, number> } {
  const text = spaced(query);
  const isUnspaced = (text.match(UNSPACED)?.length ?? 0) * 2 > text.length;
  const length = isUnspaced ? LENGTH_UNSPACED : LENGTH;
  const slots = new Map<number, number>();
  for (let at = 0; at + length <= text.length && slots.size < MAX_GROUPS; at++) {
    const hash = hashAt(text, at, length);
    if (!slots.has(hash)) slots.set(hash, slots.size);
  }
  return { length, slots };
}

/**
 * How much of a query's groups of letters each text has, 0 to 1: BM25 among the texts, whose languages may differ. Finds
 * other forms and parts of words without knowing a language. (McNamee and Mayfield, Character n-gram tokenization for
 * European language text retrieval, 2004.)
 */
export function scoreByLetters(query: string, texts: readonly string[]): number[] {
  const { length, slots } = groupsOf(query);
  const filter = new Uint8Array(0x10000);
  for (const hash of slots.keys()) filter[hash & 0xffff] = 1;
  const holders = new Uint32Array(slots.size);
  const counted = texts.map((one) => {
    const text = spaced(one);
    const counts = new Uint16Array(slots.size);
    for (let at = 0; at + length <= text.length; at++) {
      const hash = hashAt(text, at, length);
      if (filter[hash & 0xffff] !== 1) continue;
      const slot = slots.get(hash);
      if (slot === undefined) continue;
      if (counts[slot] === 0) holders[slot] = (holders[slot] ?? 0) + 1;
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
    return { counts, size: text.length };
  });
  const average = counted.reduce((sum, { size }) => sum + size, 0) / Math.max(1, texts.length);
  const weights = Array.from(holders, (held) => Math.log(1 + (texts.length - held + 0.5) / (held + 0.5)));
  const best = weights.reduce((sum, weight) => sum + weight, 0) * (K1 + 1);
  return counted.map(({ counts, size }) => {
    let score = 0;
    for (const [slot, weight] of weights.entries()) {
      const count = counts[slot] ?? 0;
      if (count > 0) score += (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * size) / average));
    }
    return best > 0 ? score / best : 0;
  });
}
