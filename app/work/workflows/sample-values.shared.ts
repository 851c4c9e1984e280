import { clip } from "~/core/well-formed";
import type { ExpressionName } from "./builder.schema";

/** Values listed of one output. */
const MAX_VALUES = 30;
const MAX_DEPTH = 3;
const MAX_TEXT = 80;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A value as JSON, piece by piece: an output may be large, and only its beginning is shown. */
function* pieces(value: unknown): Generator<string> {
  if (typeof value === "string") yield JSON.stringify(value.slice(0, MAX_TEXT));
  else if (Array.isArray(value)) {
    yield "[";
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ",";
      yield* pieces(item);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null) {
    yield "{";
    for (const [at, [name, member]] of Object.entries(value).entries()) {
      yield `${at > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* pieces(member);
    }
    yield "}";
  } else yield String(value);
}

function shown(value: unknown): string {
  let text = "";
  if (typeof value === "string") text = value.slice(0, MAX_TEXT * 2);
  else
    for (const piece of pieces(value)) {
      text += piece;
      if (text.length > MAX_TEXT) break;
    }
  return clip(text.replaceAll(/\s+/g, " ").trim(), MAX_TEXT);
}

function* walk(value: unknown, path: string, depth: number): Generator<ExpressionName> {
  yield { name: path, description: shown(value) };
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return;
  // A list's first item stands for the others.
  const members = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  for (const [key, member] of members) {
    const step = typeof key === "string" && NAME.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    yield* walk(member, `${path}${step}`, depth + 1);
  }
}

/**
 * Names by which an expression reads an output and its parts, each with the beginning of its value.
 *
 * @param path the expression that reads the whole
 */
export function sampleNames(value: unknown, path: string): ExpressionName[] {
  const names: ExpressionName[] = [];
  for (const one of walk(value, path, 0)) {
    if (names.length === MAX_VALUES) break;
    names.push(one);
  }
  return names;
}
