/** Characters that HTML changes and JSON preserves. */
const DIFFERS = /\r\n?|\0|\p{Surrogate}/gu;

function sameString(text: string): string {
  return text.replace(DIFFERS, (odd) => {
    if (odd === "\0") return "\u2400";
    return odd.startsWith("\r") ? "\n" : "\ufffd";
  });
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/**
 * Normalizes loader texts for hydration: HTML parsers change line ends and U+0000, UTF-8 has no lone
 * surrogates.
 */
export function normalizeForHydration<T>(value: T): T {
  return same(value) as T;
}

function same(value: unknown): unknown {
  if (typeof value === "string") return sameString(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(same);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  // Remix's `data(…)`: a status and headers beside the loader's data.
  if ("type" in value && value.type === "DataWithResponseInit" && "data" in value) {
    value.data = same(value.data);
    return value;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => ({ key, item, shown: same(item) }));
  if (entries.every(({ item, shown: text }) => text === item)) return value;
  return Object.fromEntries(entries.map(({ key, shown: text }) => [key, text]));
}
