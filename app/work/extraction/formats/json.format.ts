import { parseWellFormed } from "~/core/well-formed";
import { DocumentBuilder } from "../document-builder";
import { type DocumentFormat, textOf } from "../format";
import { addJson } from "../json/add-json";
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
    const parsed = parseJson(textOf(file).replace(/^\ufeff/, ""));
    if (!parsed) {
      const document = await plainText.read(file);
      return {
        ...document,
        facts: { ...document.facts, notes: ["This is not valid JSON, so it was read as plain text."] },
      };
    }
    const builder = new DocumentBuilder();
    addJson(builder, parsed.value);
    return builder.finish(titleOf(parsed.value), { format: this.label });
  },
};
