const ROMAN = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
] as const;

function roman(number: number): string {
  let [rest, text] = [number, ""];
  for (const [value, letters] of ROMAN) {
    text += letters.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

/** `a` to `z`, `aa` to `zz` and so on, as Office counts. */
const letters = (number: number) =>
  String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));

/** How a list counts, by its first number. */
export type ListNumbers = "1" | "a" | "A" | "i" | "I";

/** The number of a list's item, such as `3`, `c` or `iii`. Large ones are decimal, whatever the style. */
export function listNumber(style: ListNumbers, number: number): string {
  if (style === "1" || number < 1 || number > 999) return String(number);
  const text = style.toLowerCase() === "a" ? letters(number) : roman(number);
  return style === style.toUpperCase() ? text.toUpperCase() : text;
}
