import { z } from "zod";
import { sensitive } from "./audit.schema";

type Values = Readonly<Record<string, unknown>>;

export interface Changes {
  before: Values;
  after: Values;
}

const REDACTED = "[redacted]";
/** Maximum length of a stored text, in characters; longer texts are replaced by their length. */
const MAX_LENGTH = 500;

function isSensitive(schema: z.core.$ZodType | undefined): boolean {
  if (!schema) return false;
  if (sensitive.has(schema)) return true;
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return isSensitive(innerType);
}

function redact(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (value === undefined || value === null || value === "") return value ?? null;
  if (isSensitive(schema)) return REDACTED;
  if (schema instanceof z.ZodObject && typeof value === "object") {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(shape[name], item)]));
  }
  return typeof value === "string" && value.length > MAX_LENGTH ? { characters: value.length } : value;
}

/**
 * The changed fields, with `sensitive` fields redacted and long texts replaced by their length.
 * @param before the object before the change
 * @param after the changed fields
 */
export function changesOf(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  before: object,
  after: object,
): Changes {
  const old = before as Values;
  const names = Object.entries(after).flatMap(([name, value]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(old[name]) ? [name] : [],
  );
  const pick = (values: Values) =>
    Object.fromEntries(names.map((name) => [name, redact(shape[name], values[name])]));
  return { before: pick(old), after: pick(after as Values) };
}
