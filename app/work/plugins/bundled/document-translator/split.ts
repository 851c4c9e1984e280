/** Splits at paragraphs, lines, sentences or spaces; the pieces joined are the text. */
export function splitText(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const end = boundary(rest, maxLength);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === "" ? pieces : [...pieces, rest];
}

function boundary(text: string, maxLength: number): number {
  const start = text.slice(0, maxLength);
  for (const separator of ["\n\n", "\n", ". ", " "]) {
    const at = start.lastIndexOf(separator);
    // Smaller pieces would only add calls.
    if (at >= maxLength / 2) return at + separator.length;
  }
  // Not within a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(start) ? maxLength - 1 : maxLength;
}
