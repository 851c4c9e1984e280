/** In characters. */
export const NAME_MAX = 200;

/** Input limit, in characters: normalizing longer texts would block the event loop. */
export const MAX_RAW_NAME_LENGTH = 4000;

const INSIDE_WORDS = /[\u00ad\u2060\ufeff]/g;
/** Control characters, direction marks and lone surrogates; joiners are handled separately. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/gu;
/** Zero-width joiners are kept in emoji and in scripts that need them; elsewhere they allow spoofed names. */
const JOINERS =
  /([\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}][\u200c\u200d])|[\u200c\u200d]/gu;

/** Normalizes a name: without control characters, spoofing direction marks and repeated spaces. */
export function cleanName(text: string): string {
  return text
    .normalize("NFC")
    .replace(INSIDE_WORDS, "")
    .replace(UNSEEN, " ")
    .replace(JOINERS, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** Told apart where a name repeats: by the end of the id, which the address of the item's page has too. */
export function distinctNames<T extends { id: string; name: string }>(items: readonly T[]): T[] {
  const uses = new Map<string, number>();
  for (const { name } of items) uses.set(name, (uses.get(name) ?? 0) + 1);
  return items.map((item) =>
    (uses.get(item.name) ?? 0) > 1 ? { ...item, name: `${item.name} (…${item.id.slice(-6)})` } : item,
  );
}
