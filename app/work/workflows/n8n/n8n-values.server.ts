import { AppError } from "~/core/errors";
import { checkExpression } from "~/core/expressions/expressions.server";

/** Why a node has no counterpart, as the rest of a sentence. */
export class NoCounterpart extends Error {}

/** Finds the value of a node's output in this console. @param node undefined for the node before @throws NoCounterpart */
export type Resolve = (node: string | undefined, path: readonly string[]) => string;

const MAX_EXPRESSION = 1_000;
/** Of a text, in characters: a field that reads fields can double with each node. */
const MAX_REFERENCES = 20_000;
const SEGMENT = /^(?:\??\.([A-Za-z_]\w*)|\[(?:"([^"\\]*)"|'([^'\\]*)'|(\d{1,9}))\])/;
const BASES = [
  /^\$json/,
  /^\$input\.(?:item|first\(\)|last\(\))\.json/,
  /^\$node\[["']([^"'\\]*)["']\]\.json/,
  /^\$\(["']([^"'\\]*)["']\)\.(?:item|first\(\)|last\(\))\.json/,
];
/** Names that CEL keeps for itself. */
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Adds members to an expression. */
export const memberOf = (base: string, path: readonly string[]): string =>
  path.reduce((of, name) => {
    if (/^\d+$/.test(name)) return `${of}[${name}]`;
    return /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name)
      ? `${of}.${name}`
      : `${of}[${JSON.stringify(name)}]`;
  }, base);

function toPath(rest: string, source: string): string[] {
  const path: string[] = [];
  for (let left = rest; left !== ""; ) {
    const [whole = "", name, double, single, index] = SEGMENT.exec(left) ?? [];
    const segment = name ?? double ?? single ?? index;
    if (segment === undefined) throw new NoCounterpart(`its expression ${source} can't be translated`);
    path.push(segment);
    left = left.slice(whole.length);
  }
  return path;
}

/** Translates what stands between n8n's braces: a field of the item, or of a node's. */
function toReference(expression: string, resolve: Resolve): string {
  const source = expression.trim();
  if (source.length <= MAX_EXPRESSION && !source.includes("{"))
    for (const base of BASES) {
      const match = base.exec(source);
      if (match) return resolve(match[1], toPath(source.slice(match[0].length), source));
    }
  throw new NoCounterpart(`its expression ${source.slice(0, 80)} can't be translated`);
}

/** The literals and expressions of a text, in turn. */
function partsOf(text: string, resolve: Resolve): { literal: string; reference?: string }[] {
  const isExpression = text.startsWith("=");
  const pieces = isExpression ? text.slice(1).split(/\{\{([^{}]*)\}\}/) : [text];
  if (pieces.some((piece, at) => at % 2 === 0 && piece.includes("{{")))
    throw new NoCounterpart("its text has braces that this console would read as an expression");
  let room = MAX_REFERENCES;
  return pieces.flatMap((piece, at) => {
    if (at % 2 === 0) return piece === "" ? [] : [{ literal: piece }];
    const reference = toReference(piece, resolve);
    room -= reference.length;
    if (room < 0) throw new NoCounterpart("its expressions become too long");
    return [{ literal: "", reference }];
  });
}

/** A text with this console's expressions. @throws NoCounterpart */
export function toTemplate(value: unknown, resolve: Resolve): string {
  if (typeof value !== "string") return value === undefined || value === null ? "" : JSON.stringify(value);
  return partsOf(value, resolve)
    .map(({ literal, reference }) => (reference === undefined ? literal : `{{ ${reference} }}`))
    .join("");
}

/** One of this console's expressions, which keeps the type of a single one. @throws NoCounterpart */
export function toExpression(value: unknown, resolve: Resolve): string {
  if (typeof value !== "string") return JSON.stringify(value ?? null);
  const parts = partsOf(value, resolve);
  const [first] = parts;
  if (!first) return '""';
  if (parts.length === 1) return first.reference ?? JSON.stringify(first.literal);
  const texts = parts.map(({ literal, reference }) =>
    reference === undefined ? JSON.stringify(literal) : `string(${reference})`,
  );
  return `(${texts.join(" + ")})`;
}

/** @throws NoCounterpart if the expression is beyond the console's limits */
export function checked(expression: string): string {
  try {
    checkExpression(expression);
    return expression;
  } catch (error) {
    if (error instanceof AppError) throw new NoCounterpart(error.message.replace(/\.$/, ""));
    throw error;
  }
}
