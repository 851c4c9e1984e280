/** Of a pack, in characters of JSON, about: opening one takes half a millisecond. */
const LENGTH = 100_000;

/** Items as JSON in UTF-8, some in each pack. */
export type Packs = Uint8Array<ArrayBuffer>[];

/**
 * Packs what a thread hands over. Structured cloning would rebuild a list of a hundred thousand items in one turn of
 * the event loop; packs are transferred (`transferOf`) and opened one at a time.
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

/** What changes hands with packs instead of being copied. */
export const transferOf = (packs: Packs): ArrayBuffer[] => packs.map(({ buffer }) => buffer);

/** What was packed, in its order. A pack is opened when its first item is asked for. */
export function* unpack<T>(packs: Packs): Generator<T> {
  for (const bytes of packs) yield* JSON.parse(new TextDecoder().decode(bytes)) as T[];
}
