import type { z } from "zod";
import { parseFieldName, refuseField } from "~/core/form-fields";

interface FieldNames {
  fields: Map<string, FieldNames>;
  /** Of a record, whose keys its service checks. */
  values?: FieldNames;
  items?: { names: FieldNames; max: number };
  /** Refuses other fields by name, as a strict schema does. */
  strict?: true;
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
  if (source.strict) target.strict = true;
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
    if ((def.catchall as z.core.$ZodType | undefined)?._zod.def.type === "never") names.strict = true;
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

/** @throws AppError `invalid` for a position beyond a list's end, or an unknown field of a strict schema */
function isKnown(name: string, names: FieldNames): boolean {
  let current: FieldNames = names;
  for (const part of parseFieldName(name)) {
    const isField = typeof part === "string" && part !== "";
    const next = isField ? (current.fields.get(part) ?? current.values) : current.items?.names;
    if (!isField && current.items && Number(part) >= current.items.max) refuseField(name);
    if (!next && current.strict) refuseField(name);
    if (!next) return false;
    current = next;
  }
  return true;
}

/**
 * The schema's own fields of a form, before the parser builds lists. A form with several buttons also sends
 * what the others need.
 * @throws AppError `invalid` for excessive list indexes, and for unknown fields of a strict schema
 */
export function pickKnownFields(form: FormData, schema: z.ZodType): FormData {
  const names = namesOf(schema);
  const known = new Set([...new Set(form.keys())].filter((name) => isKnown(name, names)));
  const picked = new FormData();
  for (const [name, value] of form) if (known.has(name)) picked.append(name, value);
  return picked;
}
