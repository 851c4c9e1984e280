import type { z } from "zod";
import { type FieldPath, parseFieldName, refuseField } from "~/core/form-fields";

interface FieldNames {
  fields: Map<string, FieldNames>;
  /** Of a record, whose keys its service checks. */
  values?: FieldNames;
  items?: { names: FieldNames; max: number };
}

/** Maximum list length; a schema may set a lower one. */
const LIST_LIMIT = 1000;

const cachedNames = new WeakMap<z.ZodType, FieldNames>();

function merge(target: FieldNames, source: FieldNames): void {
  for (const [name, names] of source.fields) {
    const present = target.fields.get(name);
    if (present) merge(present, names);
    else target.fields.set(name, names);
  }
  if (source.values) target.values = source.values;
  if (!source.items) return;
  if (!target.items) target.items = source.items;
  else {
    merge(target.items.names, source.items.names);
    target.items.max = Math.max(target.items.max, source.items.max);
  }
}

const INNER = ["innerType", "in", "out", "left", "right"];

function limitOf(list: z.core.$ZodType): number {
  const checks = (list._zod.def.checks ?? []).map((check) => check._zod.def as { maximum?: number });
  return Math.min(...checks.flatMap(({ maximum }) => maximum ?? []), LIST_LIMIT);
}

function readNames(schema: z.core.$ZodType): FieldNames {
  const names: FieldNames = { fields: new Map() };
  const def = schema._zod.def as unknown as Record<string, unknown>;
  if (def.type === "object") {
    const shape = def.shape as Record<string, z.core.$ZodType>;
    for (const [name, field] of Object.entries(shape)) names.fields.set(name, readNames(field));
  } else if (def.type === "array") {
    names.items = { names: readNames(def.element as z.core.$ZodType), max: limitOf(schema) };
  } else if (def.type === "record") {
    names.values = readNames(def.valueType as z.core.$ZodType);
  } else if (def.type === "union") {
    for (const option of def.options as z.core.$ZodType[]) merge(names, readNames(option));
  } else {
    for (const key of INNER) if (def[key]) merge(names, readNames(def[key] as z.core.$ZodType));
  }
  return names;
}

function namesOf(schema: z.ZodType): FieldNames {
  const names = cachedNames.get(schema) ?? readNames(schema);
  cachedNames.set(schema, names);
  return names;
}

function isKnown(path: FieldPath, names: FieldNames): boolean {
  let current: FieldNames | undefined = names;
  for (const part of path) {
    if (typeof part === "string" && part !== "") current = current.fields.get(part) ?? current.values;
    else current = current.items && Number(part) < current.items.max ? current.items.names : undefined;
    if (!current) return false;
  }
  return true;
}

/**
 * Rejects unknown names and excessive list indexes before the parser builds lists.
 * @param others allowed names outside the schema
 * @throws AppError `invalid`
 */
export function assertKnownNames(form: FormData, schema: z.ZodType, others: readonly string[] = []): void {
  const names = namesOf(schema);
  for (const name of new Set(form.keys()))
    if (!others.includes(name) && !isKnown(parseFieldName(name), names)) refuseField(name);
}
