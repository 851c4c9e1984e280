import type { Facts } from "../document.schema";
import { shortText } from "../document-builder";

/** In characters; what is longer is text between two rules. */
const MAX_LENGTH = 20_000;
/** `key: value` of YAML, `key = value` of TOML. */
const FIELD = /^([\p{L}\p{N}_-][\p{L}\p{N}_ .-]{0,49}?)\s{0,9}[:=](?:\s+|$)/u;
/** A value's quotes, and those of an inline list. */
const QUOTED = /^(["'])(.*)\1,?$/;

export interface FrontMatter {
  lines: string[];
  body: string;
}

/** Splits Markdown at the fences of its front matter, in YAML or TOML. */
export function splitFrontMatter(text: string): FrontMatter {
  const none = { lines: [], body: text };
  const fence = /^\ufeff?(---|\+\+\+)[^\S\n]*\n/.exec(text);
  if (!fence) return none;
  const end = new RegExp(
    fence[1] === "---" ? "^(?:---|\\.\\.\\.)[^\\S\\n]*$" : "^\\+\\+\\+[^\\S\\n]*$",
    "gm",
  );
  end.lastIndex = fence[0].length;
  const closing = end.exec(text.slice(0, fence[0].length + MAX_LENGTH));
  if (!closing) return none;
  const lines = text.slice(fence[0].length, closing.index).split("\n");
  // Prose between two horizontal rules isn't front matter.
  if (!lines.some((line) => FIELD.test(line))) return none;
  return { lines, body: text.slice(end.lastIndex).replace(/^\n/, "") };
}

const unquoted = (value: string) => QUOTED.exec(value)?.[2] ?? value;

/** The fields as a list, nested values below their field. */
export function listFields(lines: readonly string[]): string {
  return lines
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*#/.test(line))
    .map((line) => {
      const text = line.trim();
      const field = FIELD.exec(line);
      if (field) return `- ${field[1]}: ${unquoted(line.slice(field[0].length).trim())}`.trimEnd();
      return `  ${/^- /.test(text) ? `- ${unquoted(text.slice(2).trim())}` : unquoted(text)}`;
    })
    .join("\n");
}

function fieldOf(lines: readonly string[], ...names: readonly string[]): string {
  for (const line of lines) {
    const field = FIELD.exec(line);
    if (field && names.includes((field[1] ?? "").toLowerCase()))
      return shortText(unquoted(line.slice(field[0].length).trim()));
  }
  return "";
}

/** What a document has facts for. */
export function readFields(
  lines: readonly string[],
): { title: string } & Pick<Facts, "author" | "language" | "created"> {
  const author = fieldOf(lines, "author", "authors");
  const language = fieldOf(lines, "lang", "language");
  const created = /^\d{4}-\d\d-\d\d/.exec(fieldOf(lines, "date", "created"))?.[0];
  return {
    title: fieldOf(lines, "title"),
    ...(author ? { author } : {}),
    ...(/^[a-z]{2,3}(?:-[\w-]{2,30})?$/i.test(language) ? { language } : {}),
    ...(created ? { created } : {}),
  };
}
