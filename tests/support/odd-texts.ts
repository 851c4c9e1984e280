import { seededRandom } from "../../programs/demo/seeded-random";

/** Texts that break software. */
const ODD = [
  "\ud800",
  "\udc00",
  "a\ud83d",
  "\ude00b",
  "\udc00\ud800",
  "\ud83d\ude00",
  "\ud83d\ud83d\ude00",
  "\u0000",
  "a\u0000b",
  "\ufffe\uffff",
  "\ufeffa",
  "\u2028\u2029",
  "\u202egnp.exe",
  "\u200b\u200d",
  "e\u0301\u0301\u0301",
  "\u001b[31m",
  "\r\nX: y",
  "__proto__",
  "constructor",
  "%",
  "%ud800",
  "%00",
  "../..",
  "\\ud800",
  '"\\',
  "<script>",
  "'; --",
  "\u{10ffff}",
  "ß\u0130\u0131",
];

/** Deterministic: known texts, then random mixtures. */
export function oddTexts(count: number, seed = 1): string[] {
  const next = seededRandom(seed);
  const mixed = () =>
    Array.from({ length: 1 + Math.floor(next() * 6) }, () =>
      next() < 0.5
        ? (ODD[Math.floor(next() * ODD.length)] ?? "")
        : String.fromCharCode(
            next() < 0.5 ? 0xd800 + Math.floor(next() * 0x800) : Math.floor(next() * 0x10000),
          ),
    ).join("");
  return Array.from({ length: count }, (_, at) => ODD[at] ?? mixed());
}
