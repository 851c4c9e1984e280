/** `word`: a control such as `par` with its number; `byte`: `\'e4`; `text`: bytes as Latin-1 characters. */
export type RtfToken =
  | { kind: "open" | "close" | "optional" }
  | { kind: "word"; word: string; value: number | undefined }
  | { kind: "byte" | "text"; text: string };

const TEXT = /[^\\{}\r\n]+/y;
const WORD = /([a-z]{1,32})(-?\d{1,10})? ?/iy;
const SPACES = /[\r\n]+/y;

/** Symbols of a letter's worth, by the words that mean the same. */
const SYMBOLS: Readonly<Record<string, string>> = { "~": "nbsp", _: "nbhyphen", "\n": "par", "\r": "par" };

/** Splits a file, whose bytes are read as Latin-1, into its tokens. Binary data are passed over. */
export function* tokensOf(source: string): Generator<RtfToken> {
  for (let at = 0; at < source.length; ) {
    const character = source[at];
    if (character === "{" || character === "}") {
      yield { kind: character === "{" ? "open" : "close" };
      at += 1;
    } else if (character !== "\\") {
      const pattern = character === "\r" || character === "\n" ? SPACES : TEXT;
      pattern.lastIndex = at;
      pattern.test(source);
      if (pattern === TEXT) yield { kind: "text", text: source.slice(at, pattern.lastIndex) };
      at = pattern.lastIndex;
    } else {
      WORD.lastIndex = at + 1;
      const [matched = "", word = "", digits] = WORD.exec(source) ?? [];
      if (word) {
        const value = digits === undefined ? undefined : Number(digits);
        at += 1 + matched.length;
        if (word === "bin") at += Math.max(0, value ?? 0);
        else yield { kind: "word", word, value };
      } else {
        const symbol = source[at + 1] ?? "";
        const code = symbol === "'" ? Number.parseInt(source.slice(at + 2, at + 4), 16) : Number.NaN;
        at += symbol === "'" ? 4 : 2;
        if (Number.isInteger(code)) yield { kind: "byte", text: String.fromCharCode(code) };
        else if (symbol === "*") yield { kind: "optional" };
        else if (SYMBOLS[symbol]) yield { kind: "word", word: SYMBOLS[symbol], value: undefined };
        else if (/[\\{}]/.test(symbol)) yield { kind: "text", text: symbol };
      }
    }
  }
}
