import { foldText } from "./fold";

/** Characters of a group; pairs and triples mean more in scripts where a character is a syllable or a word. */
const LENGTH = 4;
const LENGTH_UNSPACED = 3;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const MAX_GROUPS = 400;

/** BM25's constants, as in FTS5. */
const K1 = 1.2;
const B = 0.75;

const SPACE = 0x20;
const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** Folded characters by UTF-16 unit, made when first met: folding whole texts takes longer than the rest of the ranking. */
const folded = Array<string | undefined>(0x10000).fill(undefined);

function foldUnit(unit: number): string {
  const known = folded[unit];
  if (known !== undefined) return known;
  const character = String.fromCharCode(unit);
  const result = isSurrogate(unit) ? character : foldText(character).replace(/[^\p{L}\p{N}\p{M}]+/gu, " ");
  folded[unit] = result;
  return result;
}

/** A text's units, folded, with one space before, between and after its words. */
function unitsOf(text: string): number[] {
  const units = [SPACE];
  let last = SPACE;
  for (let at = 0; at < text.length; at++) {
    const part = foldUnit(text.charCodeAt(at));
    for (let index = 0; index < part.length; index++) {
      const unit = part.charCodeAt(index);
      if (unit !== SPACE || last !== SPACE) units.push(unit);
      last = unit;
    }
  }
  if (last !== SPACE) units.push(SPACE);
  return units;
}

const MULTIPLIER = 0x01000193;

/** Calls back with the hash of each group, rolled from one to the next (Karp and Rabin, 1987). */
function eachGroup(units: readonly number[], length: number, use: (hash: number) => void): void {
  let leaving = 1;
  for (let index = 0; index < length; index++) leaving = Math.imul(leaving, MULTIPLIER);
  let hash = 0;
  for (let at = 0; at < units.length; at++) {
    hash = (Math.imul(hash, MULTIPLIER) + (units[at] as number)) | 0;
    if (at >= length) hash = (hash - Math.imul(units[at - length] as number, leaving)) | 0;
    if (at >= length - 1) use(hash ^ (hash >>> 15));
  }
}

function groupsOf(query: string): { length: number; slots: Map<number, number> } {
  const isUnspaced = (query.match(UNSPACED)?.length ?? 0) * 2 > query.length;
  const length = isUnspaced ? LENGTH_UNSPACED : LENGTH;
  const slots = new Map<number, number>();
  eachGroup(unitsOf(query), length, (hash) => {
    if (slots.size < MAX_GROUPS && !slots.has(hash)) slots.set(hash, slots.size);
  });
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
    const units = unitsOf(one);
    const counts = new Uint16Array(slots.size);
    eachGroup(units, length, (hash) => {
      if (filter[hash & 0xffff] !== 1) return;
      const slot = slots.get(hash);
      if (slot === undefined) return;
      if (counts[slot] === 0) holders[slot] = (holders[slot] ?? 0) + 1;
      counts[slot] = (counts[slot] ?? 0) + 1;
    });
    return { counts, size: units.length };
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
