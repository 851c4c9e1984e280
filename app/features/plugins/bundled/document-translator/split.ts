/** Splits at paragraphs, lines, sentences or spaces; the pieces joined are the text. */
export function splitText(text: string, longest: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const end = boundary(rest, longest);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === "" ? pieces : [...pieces, rest];
}

function boundary(text: string, longest: number): number {
  const start = text.slice(0, longest);
  for (const separator of ["\n\n", "\n", ". ", " "]) {
    const at = start.lastIndexOf(separator);
    // Smaller pieces would only add calls.
    if (at >= longest / 2) return at + separator.length;
  }
  // Not within a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(start) ? longest - 1 : longest;
}
