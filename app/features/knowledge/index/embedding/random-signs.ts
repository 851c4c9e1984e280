/** FNV-1a; http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Thirty-two well-mixed bits; https://github.com/skeeto/hash-prospector */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

/** The state after `state`: the golden ratio's fraction goes through all of them. */
const next = (state: number) => (state + 0x9e3779b9) | 0;

/** Adds in each dimension the weight, with a sign that only the name decides. Dimensions come in multiples of 32. */
export function addSigns(vector: Float32Array, name: string, weight: number): void {
  let state = hash(name);
  for (let at = 0; at < vector.length; at += 32) {
    state = next(state);
    let bits = mix(state);
    for (let index = at; index < at + 32; index++) {
      // Without a branch, which no processor could foresee here.
      (vector[index] as number) += weight * (1 - ((bits & 1) << 1));
      bits >>>= 1;
    }
  }
}

/** Four bits as four counters of a byte each. */
const SPREAD = Int32Array.from(
  { length: 16 },
  (_, bits) => (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21),
);
/** What a byte can count to. */
const FULL = 255;

/** The sum of many names' signs, all of one weight: counted four at a time, six times as fast as by `addSigns`. */
export class SignSum {
  readonly #counters: Int32Array;
  readonly #sum: Float64Array;
  #added = 0;

  constructor(dimensions: number) {
    this.#counters = new Int32Array(dimensions / 4);
    this.#sum = new Float64Array(dimensions);
  }

  add(name: string): void {
    if (this.#added === FULL) this.#flush();
    this.#added += 1;
    let state = hash(name);
    const counters = this.#counters;
    for (let at = 0; at < counters.length; at += 8) {
      state = next(state);
      let bits = mix(state);
      for (let index = at; index < at + 8; index++) {
        (counters[index] as number) += SPREAD[bits & 15] as number;
        bits >>>= 4;
      }
    }
  }

  /** The sum with each sign weighing that much. */
  weighted(weight: number): Float64Array {
    this.#flush();
    return this.#sum.map((value) => value * weight);
  }

  #flush(): void {
    for (let index = 0; index < this.#sum.length; index++) {
      const negative = ((this.#counters[index >> 2] as number) >>> ((index & 3) * 8)) & FULL;
      (this.#sum[index] as number) += this.#added - 2 * negative;
    }
    this.#counters.fill(0);
    this.#added = 0;
  }
}
