function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Integer hash; https://github.com/skeeto/hash-prospector */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

/** Weyl sequence (golden ratio). */
const next = (state: number) => (state + 0x9e3779b9) | 0;

/**
 * Adds the weight with a pseudo-random sign per dimension, derived from the name. Dimensions are multiples
 * of 32.
 */
export function addSigns(vector: Float32Array, name: string, weight: number): void {
  let state = hash(name);
  for (let at = 0; at < vector.length; at += 32) {
    state = next(state);
    let bits = mix(state);
    for (let index = at; index < at + 32; index++) {
      // Branch-free, since the bits are unpredictable.
      (vector[index] as number) += weight * (1 - ((bits & 1) << 1));
      bits >>>= 1;
    }
  }
}

/** Expands four bits into four one-byte counters. */
const SPREAD = Int32Array.from(
  { length: 16 },
  (_, bits) => (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21),
);
/** Maximum of a byte counter. */
const FULL = 255;

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
