/** Characters that HTML can't carry as they are, while the data for the page's script can. */
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
 * Loader data with texts that the server's HTML and the browser's script show alike: a parser of HTML changes line ends
 * and leaves out U+0000, and UTF-8 has no halves of surrogate pairs. A value without any of these stays the same object.
 */
export function sameOnBothSides<T>(value: T): T {
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
  if (entries.every(({ item, shown }) => shown === item)) return value;
  return Object.fromEntries(entries.map(({ key, shown }) => [key, shown]));
}
