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

const END = "\n";

/** The words of a keyword index, as it has them: stems. */
export class Vocabulary {
  readonly #words: readonly string[];
  /** Each word with its end: parts are found in one text many times as fast as in each word. */
  readonly #text: string;

  constructor(words: readonly string[]) {
    // Those of an index are in order, and quickly sorted.
    this.#words = words.toSorted();
    this.#text = this.#words.map((word) => word + END).join("");
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

  /** The words that have a part, which isn't empty and may include their end. */
  listWith(part: string): string[] {
    const found: string[] = [];
    for (let at = this.#text.indexOf(part); at >= 0; ) {
      const start = at === 0 ? 0 : this.#text.lastIndexOf(END, at - 1) + 1;
      const end = this.#text.indexOf(END, at);
      found.push(this.#text.slice(start, end));
      at = this.#text.indexOf(part, end + 1);
    }
    return found;
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
