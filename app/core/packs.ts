/** Approximate size in characters of JSON: parsing one takes 0.5 ms. */
const PACK_LENGTH = 100_000;

export type Packs = Uint8Array<ArrayBuffer>[];

/** Batches a worker's output as bytes: structured cloning of long lists would block the event loop. */
export function pack(items: Iterable<unknown>): Packs {
  const encoder = new TextEncoder();
  const packs: Packs = [];
  let batch: string[] = [];
  let length = 0;
  const close = () => {
    if (batch.length > 0) packs.push(encoder.encode(`[${batch.join()}]`));
    batch = [];
    length = 0;
  };
  for (const item of items) {
    const json = JSON.stringify(item);
    batch.push(json);
    length += json.length;
    if (length >= PACK_LENGTH) close();
  }
  close();
  return packs;
}

export const transferOf = (packs: Packs): ArrayBuffer[] => packs.map(({ buffer }) => buffer);

export function* unpack<T>(packs: Packs): Generator<T> {
  for (const bytes of packs) yield* JSON.parse(new TextDecoder().decode(bytes)) as T[];
}
