export type TemplatePart = { text: string } | { expression: string; at: number };

/**
 * Position after a quoted string that begins at `at`. Handles CEL's quotes, triple quotes and raw strings.
 */
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
 * Splits a text at its `{{ … }}`, ignoring `}}` in strings and maps.
 * @throws SyntaxError for an unclosed `{{`
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
