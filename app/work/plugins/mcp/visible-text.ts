import { clip } from "~/core/well-formed";

/** Invisible to people but read by models: zero-width, direction marks, tags, most controls. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|(?![\t\n])\p{Cc}/gu;

/** Without invisible characters, truncated. */
export const visibleText = (text: string, max: number): string =>
  clip(text.toWellFormed().replaceAll("\r\n", "\n").replace(HIDDEN, ""), max);

/** Shows invisible characters and lone surrogates as escapes, so that two texts that look alike differ. */
export const escapeHidden = (text: string): string =>
  text.replace(
    /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

const DEPTH = 64;

/** Cleans the descriptions in a JSON Schema. */
export function visibleSchema(schema: unknown, depth = DEPTH): unknown {
  if (typeof schema !== "object" || schema === null || depth === 0) return schema;
  if (Array.isArray(schema)) return schema.map((item) => visibleSchema(item, depth - 1));
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      typeof value === "string" && /^(?:description|title|\$comment)$/.test(name)
        ? value.replace(HIDDEN, "")
        : visibleSchema(value, depth - 1),
    ]),
  );
}
