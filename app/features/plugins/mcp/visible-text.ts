import { clip } from "~/core/well-formed";

/** Characters that are invisible to people and read by models: zero-width ones, direction marks, tags, controls except line breaks and tabs. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|(?![\t\n])\p{Cc}/gu;

/** A text of a server without characters that an admin couldn't see, and at most so long. */
export const visibleText = (text: string, most: number): string =>
  clip(text.toWellFormed().replaceAll("\r\n", "\n").replace(HIDDEN, ""), most);

const DEPTH = 64;

/** The same for the descriptions in a JSON Schema; its names and values stay as they are. */
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
