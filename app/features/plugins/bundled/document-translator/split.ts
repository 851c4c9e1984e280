/**
 * Splits a text into pieces of at most `longest` characters, at the last paragraph, line, sentence or space before. The
 * pieces together are the text.
 */
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
    // A piece of less than half the length would only make more calls.
    if (at >= longest / 2) return at + separator.length;
  }
  // Never between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(start) ? longest - 1 : longest;
}
