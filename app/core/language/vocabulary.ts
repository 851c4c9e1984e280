/** Whether at most one letter more, less or other, or two neighbors in another order, make one word of the other. */
export function isWithinOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [left, right] = [endA - start, endB - start];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
}

/** Letters of a group, by which words are found that hold it. */
const GROUP = 3;
const BUCKETS = 0x10000;
const END = "\n";

const bucketAt = (text: string, at: number) =>
  Math.imul(
    (text.charCodeAt(at) << 12) ^ (text.charCodeAt(at + 1) << 6) ^ text.charCodeAt(at + 2),
    0x9e3779b1,
  ) >>> 16;

/** The words of a keyword index, as it has them: stems. Finds parts of them a hundred times as fast as a scan. */
export class Vocabulary {
  readonly #words: readonly string[];
  /** Each bucket's first place in the holders. */
  readonly #starts = new Uint32Array(BUCKETS + 1);
  /** Indexes of the words that hold a bucket's groups, one bucket after the other. */
  readonly #holders: Uint32Array;

  constructor(words: readonly string[]) {
    // Those of an index are in order, and quickly sorted.
    this.#words = words.toSorted();
    const framed = this.#words.map((word) => word + END);
    for (const word of framed)
      for (let at = 0; at + GROUP <= word.length; at++) (this.#starts[bucketAt(word, at)] as number) += 1;
    for (let bucket = 0, sum = 0; bucket <= BUCKETS; bucket++) {
      sum += this.#starts[bucket] ?? 0;
      this.#starts[bucket] = sum;
    }
    this.#holders = new Uint32Array(this.#starts[BUCKETS] ?? 0);
    // Backwards, so that each bucket's end becomes its start.
    for (let index = framed.length - 1; index >= 0; index--) {
      const word = framed[index] as string;
      for (let at = 0; at + GROUP <= word.length; at++) {
        const bucket = bucketAt(word, at);
        const place = (this.#starts[bucket] ?? 0) - 1;
        this.#starts[bucket] = place;
        this.#holders[place] = index;
      }
    }
  }

  /** The index of the first word that isn't before another. */
  #find(word: string): number {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#words[middle] as string) < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(word: string): boolean {
    return this.#words[this.#find(word)] === word;
  }

  hasBeginning(part: string): boolean {
    return this.#words[this.#find(part)]?.startsWith(part) === true;
  }

  #listFrom(beginning: string): string[] {
    const found: string[] = [];
    for (let at = this.#find(beginning); this.#words[at]?.startsWith(beginning); at++)
      found.push(this.#words[at] as string);
    return found;
  }

  /** The words that have a part, which may include their end. */
  listWith(part: string): string[] {
    if (part.length < GROUP) return this.#words.filter((word) => (word + END).includes(part));
    let [from, to] = [0, this.#holders.length];
    for (let at = 0; at + GROUP <= part.length; at++) {
      const bucket = bucketAt(part, at);
      const [start = 0, end = 0] = this.#starts.subarray(bucket, bucket + 2);
      if (end - start < to - from) [from, to] = [start, end];
    }
    const holders = new Set(this.#holders.subarray(from, to));
    return Array.from(holders, (index) => this.#words[index] as string).filter((word) =>
      (word + END).includes(part),
    );
  }

  /** Words within one edit, which leaves either the letters before the middle or those after it as they are. */
  listNear(word: string): string[] {
    const middle = word.length >> 1;
    const found = new Set([
      ...this.#listFrom(word.slice(0, Math.max(0, middle - 1))),
      ...this.listWith(word.slice(middle + 1) + END),
    ]);
    return [...found].filter((other) => isWithinOneEdit(word, other));
  }
}
