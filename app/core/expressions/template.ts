/** A part of a text field: literal text, or the source of an expression between `{{` and `}}`. */
export type TemplatePart = { text: string } | { expression: string; at: number };

/** Position behind a quoted string that begins at `at`. Knows CEL's quotes, triple quotes and raw strings. */
function skipString(source: string, at: number): number {
  const quote = source[at] as string;
  const raw = /[rR]/.test(source[at - 1] ?? "");
  const triple = source.startsWith(quote.repeat(3), at);
  const end = triple ? quote.repeat(3) : quote;
  let position = at + end.length;
  while (position < source.length) {
    if (!raw && source[position] === "\\") position += 2;
    else if (source.startsWith(end, position)) return position + end.length;
    else position += 1;
  }
  return position;
}

/** Position of the `}}` that ends an expression; -1 where none does. */
function findEnd(source: string, from: number): number {
  let depth = 0;
  let position = from;
  while (position < source.length) {
    const character = source[position];
    if (character === '"' || character === "'") {
      position = skipString(source, position);
      continue;
    }
    if (depth === 0 && source.startsWith("}}", position)) return position;
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    position += 1;
  }
  return -1;
}

/**
 * Splits a text at its `{{ … }}`. A `}}` within a quoted string, and the braces of a map, don't end an expression.
 *
 * @throws SyntaxError where a `{{` isn't closed
 */
export function splitTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let position = 0;
  while (position < source.length) {
    const begin = source.indexOf("{{", position);
    if (begin === -1) break;
    if (begin > position) parts.push({ text: source.slice(position, begin) });
    const end = findEnd(source, begin + 2);
    if (end === -1) throw new SyntaxError("A {{ has no matching }}.");
    parts.push({ expression: source.slice(begin + 2, end).trim(), at: begin });
    position = end + 2;
  }
  if (position < source.length) parts.push({ text: source.slice(position) });
  return parts;
}
