import { clip, parseWellFormed } from "~/core/well-formed";
import { DocumentBuilder } from "../document-builder";
import { type DocumentFormat, withNote } from "../format";
import { plainText } from "./text.format";

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: parseWellFormed(text) };
  } catch {
    const lines = text.split("\n").filter((line) => line.trim());
    if (lines.length < 2) return undefined;
    try {
      return { value: lines.map((line) => parseWellFormed(line)) };
    } catch {
      return undefined;
    }
  }
}

function titleOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const title: unknown = Reflect.get(value, "title") ?? Reflect.get(value, "name");
  return typeof title === "string" ? title : "";
}

export const json: DocumentFormat = {
  label: "JSON",
  endings: [".json", ".jsonl", ".ndjson", ".geojson", ".webmanifest"],
  types: ["application/json", "application/x-ndjson", "application/jsonl", "application/ld+json"],
  isText: true,
  async read(file) {
    const parsed = parseJson(file.text.replace(/^\ufeff/, ""));
    if (!parsed)
      return withNote(await plainText.read(file), "This is not valid JSON, so it was read as plain text.");
    const builder = new DocumentBuilder();
    const writer = new JsonWriter(builder);
    writer.add(parsed.value, "", 0, 1);
    writer.end();
    return builder.finish(titleOf(parsed.value), { format: this.label });
  },
};

/** Keys up to this depth are headings; deeper ones are part of a line's path. */
const MAX_HEADING_LEVEL = 3;
/** Deeper values are dropped. */
const MAX_DEPTH = 200;
/** In characters; a longer text is a separate paragraph. */
const MAX_LINE_LENGTH = 300;
const NAMES = ["title", "name", "label", "id", "key"];

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;
const isPlain = (value: unknown) => !isContainer(value) && String(value).length <= MAX_LINE_LENGTH;
const isFlat = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPlain);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  isContainer(value) && !Array.isArray(value);

function join(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key + 1}]`;
  return path ? `${path}.${key}` : key;
}

function labelOf(value: unknown, path: string): string {
  if (!isRecord(value)) return path;
  const name = NAMES.map((key) => value[key]).find(
    (item) => typeof item === "string" || typeof item === "number",
  );
  return name === undefined ? path : clip(String(name), 200);
}

function tableOf(value: unknown[]): string[][] | undefined {
  const records = value.filter(isRecord);
  const names = [...new Set(records.slice(0, 100).flatMap((item) => Object.keys(item)))];
  if (records.length < 2 || records.length !== value.length || names.length < 2 || names.length > 12)
    return undefined;
  const rows = records.map((item) => names.map((name) => item[name]));
  if (!rows.every((row) => row.every((cell) => isPlain(cell ?? "")))) return undefined;
  return [names, ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
}

class JsonWriter {
  readonly #builder: DocumentBuilder;
  #lines: string[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  end(): void {
    this.#builder.add("list", this.#lines.join("\n"));
    this.#lines = [];
  }

  /** @param path prefix of its lines: the keys since the last heading */
  add(value: unknown, path: string, depth: number, level: number): void {
    if (this.#builder.isFull || depth > MAX_DEPTH) return;
    if (!isContainer(value)) this.#leaf(value, path);
    else if (isFlat(value)) this.#leaf(value.join(", "), path);
    else if (!this.#table(value)) this.#parts(value, path, depth, level);
  }

  #table(value: Container): boolean {
    const rows = Array.isArray(value) ? tableOf(value) : undefined;
    if (!rows) return false;
    this.end();
    this.#builder.table(rows, { header: true });
    return true;
  }

  #parts(value: Container, path: string, depth: number, level: number): void {
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    // Own values come before nested ones.
    for (const [key, item] of entries) {
      if (!isContainer(item)) this.add(item, join(path, key), depth + 1, level);
    }
    for (const [key, item] of entries) {
      if (isContainer(item)) this.#part(key, item, path, depth, level);
    }
  }

  #part(key: string | number, item: Container, path: string, depth: number, level: number): void {
    if (level > MAX_HEADING_LEVEL || isFlat(item)) {
      this.add(item, join(path, key), depth + 1, level);
      return;
    }
    this.end();
    this.#builder.heading(level, typeof key === "number" ? labelOf(item, String(key + 1)) : key);
    this.add(item, "", depth + 1, level + 1);
    this.end();
  }

  #leaf(value: unknown, path: string): void {
    const text = String(value);
    const line = path ? `${path}: ${text}` : text;
    if (text.length > MAX_LINE_LENGTH || text.includes("\n")) {
      this.end();
      this.#builder.paragraphs(line);
    } else if (text !== "") this.#lines.push(`- ${line}`);
  }
}
