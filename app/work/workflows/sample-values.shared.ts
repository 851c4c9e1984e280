import { clip } from "~/core/well-formed";
import type { ExpressionName } from "./builder.schema";

/** Values listed of one output. */
const MAX_VALUES = 30;
const MAX_DEPTH = 3;
const MAX_TEXT = 80;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return clip(
    text
      .slice(0, MAX_TEXT * 2)
      .replaceAll(/\s+/g, " ")
      .trim(),
    MAX_TEXT,
  );
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
