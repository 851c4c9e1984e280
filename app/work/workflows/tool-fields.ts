import { clip } from "~/core/well-formed";
import { isRecord, MAX_TOOL_FIELDS, type ToolField } from "./tool-input.shared";

const MAX_HINT = 240;
const MAX_OPTIONS = 60;
/** Length from which a text has several lines, in characters; addresses are allowed to be long. */
const LONG_TEXT = 10_000;
/** Words that are written in capitals. */
const CAPITALS = /\b(?:api|css|html|http|id|ip|json|sql|uri|url|xml)\b/gi;
/** References followed in a row. */
const MAX_REFERENCES = 5;

type Schema = Record<string, unknown>;

/** Follows `$ref` within the schema, and leaves out "or null". */
function resolved(value: unknown, root: Schema): Schema {
  let schema = isRecord(value) ? value : {};
  for (let at = 0; at < MAX_REFERENCES; at += 1) {
    const { $ref, anyOf, oneOf } = schema;
    const { $ref: _, anyOf: __, oneOf: ___, ...own } = schema;
    const others = [anyOf, oneOf].find(Array.isArray)?.filter((one) => !isRecord(one) || one.type !== "null");
    let next: unknown = others?.length === 1 ? others[0] : undefined;
    if (typeof $ref === "string" && $ref.startsWith("#/"))
      next = $ref
        .slice(2)
        .split("/")
        .reduce<unknown>((of, key) => (isRecord(of) && Object.hasOwn(of, key) ? of[key] : undefined), root);
    if (!isRecord(next)) break;
    schema = { ...next, ...own };
  }
  return schema;
}

const typeOf = ({ type }: Schema): unknown =>
  Array.isArray(type) ? type.find((one) => one !== "null") : type;

const choice = (values: readonly unknown[]): Pick<ToolField, "kind" | "options"> => ({
  kind: "choice",
  options: values
    .slice(0, MAX_OPTIONS)
    .map((value) => ({ value: JSON.stringify(value), label: clip(String(value), 100) })),
});

const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

function controlOf(schema: Schema, root: Schema): Pick<ToolField, "kind" | "options"> {
  const { enum: values, const: only } = schema;
  if (Array.isArray(values) && values.length > 0 && values.length <= MAX_OPTIONS && values.every(isPlain))
    return choice(values);
  if (isPlain(only)) return choice([only]);
  switch (typeOf(schema)) {
    case "string": {
      const { maxLength } = schema;
      return { kind: typeof maxLength === "number" && maxLength >= LONG_TEXT ? "long" : "text" };
    }
    case "number":
    case "integer":
      return { kind: "number" };
    case "boolean":
      return {
        kind: "choice",
        options: ["true", "false"].map((value, at) => ({ value, label: YES[at] ?? "" })),
      };
    case "array":
      return { kind: typeOf(resolved(schema.items, root)) === "string" ? "lines" : "json" };
    default:
      return { kind: "json" };
  }
}

const YES = ["Yes", "No"];

/** Lists and objects say how they are written. */
const HINTS: Partial<Record<ToolField["kind"], string>> = { lines: "One a line.", json: "Enter JSON." };

/** What isn't said otherwise: the default, and the range of a number. */
function factsOf({ default: usual, minimum, maximum }: Schema): string[] {
  const range = [minimum, maximum].every((one) => typeof one === "number" && Math.abs(one) < 1e9);
  return [
    ...(range ? [`${minimum} to ${maximum}.`] : []),
    ...(isPlain(usual) && usual !== "" ? [`Default: ${clip(String(usual), 40)}.`] : []),
  ];
}

/** `max_results` and `maxResults` become "Max results". */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_.-]+/g, " ")
    .trim()
    .toLowerCase();
  const label = words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
  return clip(
    label.replaceAll(CAPITALS, (word) => word.toUpperCase()),
    80,
  );
}

const sentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`);

/**
 * Fields for the parameters of a tool, required ones first. A plugin's schema is untrusted: only its first levels are
 * read.
 * @returns undefined if a form can't have all of them
 */
export function fieldsOfSchema(schema: unknown): ToolField[] | undefined {
  const root = isRecord(schema) ? schema : {};
  const properties = isRecord(root.properties) ? root.properties : {};
  const names = Object.keys(properties);
  if (names.length > MAX_TOOL_FIELDS) return undefined;
  const required = Array.isArray(root.required) ? root.required : [];
  const fields = names.map((name): ToolField => {
    const property = resolved(properties[name], root);
    const { title, description } = property;
    const control = controlOf(property, root);
    const about =
      typeof description === "string" ? clip(description.trim().split("\n")[0] ?? "", MAX_HINT) : "";
    const hint = [about && sentence(about), ...factsOf(property), HINTS[control.kind] ?? ""].filter(Boolean);
    return {
      name,
      label: typeof title === "string" && title.trim() ? clip(title.trim(), 80) : labelOf(name),
      ...(hint.length > 0 ? { hint: hint.join(" ") } : {}),
      required: required.includes(name) && property.default === undefined,
      ...control,
    };
  });
  return fields.sort((a, b) => Number(b.required) - Number(a.required));
}
