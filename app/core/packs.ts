/** Approximate size in characters of JSON: parsing one takes 0.5 ms. */
const LENGTH = 100_000;

/** Batches of items as JSON in UTF-8. */
export type Packs = Uint8Array<ArrayBuffer>[];

/**
 * Packs a worker's output. Structured cloning would block the event loop for long lists; packs are transferred
 * (`transferOf`) and parsed one at a time.
 */
export function pack(items: Iterable<unknown>): Packs {
  const encoder = new TextEncoder();
  const packs: Packs = [];
  let waiting: string[] = [];
  let length = 0;
  const close = () => {
    if (waiting.length > 0) packs.push(encoder.encode(`[${waiting.join()}]`));
    waiting = [];
    length = 0;
  };
  for (const item of items) {
    const json = JSON.stringify(item);
    waiting.push(json);
    length += json.length;
    if (length >= LENGTH) close();
  }
  close();
  return packs;
}

export const transferOf = (packs: Packs): ArrayBuffer[] => packs.map(({ buffer }) => buffer);

/** Parses each pack when its first item is read. */
export function* unpack<T>(packs: Packs): Generator<T> {
  for (const bytes of packs) yield* JSON.parse(new TextDecoder().decode(bytes)) as T[];
}
