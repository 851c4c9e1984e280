import { parseWellFormed } from "~/core/well-formed";

/** A parameter of a tool, as a field of Run Tool. */
export interface ToolField {
  name: string;
  label: string;
  hint?: string;
  required: boolean;
  /** `lines` is a list of texts, one a line; `json` is anything else. */
  kind: "text" | "long" | "number" | "choice" | "lines" | "json";
  /** Of `choice`: values as JSON. */
  options?: readonly { value: string; label: string }[];
}

/** What is typed into the fields of a tool's form, by parameter; anything may have `{{ … }}`. */
export type ToolTexts = Readonly<Record<string, string>>;

/** Fields that a tool's form can have. */
export const MAX_TOOL_FIELDS = 40;

/** Names of the form's fields, since a parameter's own name may have dots and brackets. */
export const TOOL_INPUT_FIELDS: readonly string[] = Array.from({ length: MAX_TOOL_FIELDS }, (_, at) => [
  `name${at}`,
  `value${at}`,
]).flat();

export function textsFromForm(submitted: Readonly<Record<string, unknown>>): ToolTexts | undefined {
  const members = Array.from({ length: MAX_TOOL_FIELDS }, (_, at): [string, string][] => {
    const { [`name${at}`]: name, [`value${at}`]: value } = submitted;
    return typeof name === "string" ? [[name, typeof value === "string" ? value : ""]] : [];
  }).flat();
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string" && !/[\r\n]/.test(one));

function textOf({ kind }: ToolField, value: unknown): string {
  if (typeof value === "string" && (kind !== "choice" || value.includes("{{"))) return value;
  return kind === "lines" && isList(value) ? value.join("\n") : JSON.stringify(value);
}

/** An input as its form shows it; undefined if the form has no place for a part of it. */
export function textsOf(fields: readonly ToolField[], input: unknown): ToolTexts | undefined {
  if (!isRecord(input)) return undefined;
  const names = new Set(fields.map(({ name }) => name));
  if (Object.keys(input).some((name) => !names.has(name))) return undefined;
  const shown = fields.filter(({ name }) => Object.hasOwn(input, name));
  return Object.fromEntries(shown.map((field) => [field.name, textOf(field, input[field.name])]));
}

/** The value of JSON; undefined if it isn't any. */
function readJson(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch {
    return undefined;
  }
}

function typedValue({ kind }: ToolField, text: string): unknown {
  const hasExpression = text.includes("{{");
  switch (kind) {
    case "text":
    case "long":
      return text;
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    case "lines": {
      const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
      // A single expression may itself be the list.
      return hasExpression && lines.length === 1 ? text.trim() : lines;
    }
    case "choice":
    case "json":
      return readJson(text) ?? text;
  }
}

/** The input of a tool's form. Blank fields are left out. */
export function inputOf(fields: readonly ToolField[], texts: ToolTexts): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field.name] ?? "";
      return text === "" ? [] : [[field.name, typedValue(field, text)]];
    }),
  );
}

/** The input that was written as JSON; undefined if the text is an expression. */
export function writtenInput(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return isRecord(value) ? value : undefined;
}
