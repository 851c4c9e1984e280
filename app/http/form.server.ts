import { parseWithZod, type Submission, type SubmissionResult } from "@conform-to/zod/v4";
import { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";
import { parseFieldName, refuseField } from "~/core/form-fields";
import { describeIssue } from "~/core/parse";
import { explainStorageFault } from "~/core/storage-faults.server";
import type { EdgeContext } from "./context.server";

import { type Problem, toProblem } from "./status.server";

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

export interface FormOptions {
  hide?: readonly string[] | ((form: FormData) => readonly string[]);
  /** Fields whose long values are redisplayed. */
  long?: readonly string[];
}

/** Maximum redisplayed length, in characters: rendering the long one takes 100 ms. */
const MAX_REDISPLAYED = { long: 250_000, other: 10_000 };

function withoutLongTexts<T>(submitted: Record<string, T>, long: readonly string[]): Record<string, T> {
  const visible = Object.entries(submitted).filter(
    ([name, value]) =>
      typeof value !== "string" ||
      value.length <= (long.includes(name) ? MAX_REDISPLAYED.long : MAX_REDISPLAYED.other),
  );
  return Object.fromEntries(visible);
}

export interface ParsedForm<T> {
  submission: Submission<T>;
  reply(problem?: Problem): SubmissionResult;
}

/** A form's empty text arrives as a missing one: it gets the message that its schema has for an empty text. */
const describeFormIssue: z.core.$ZodErrorMap = (issue) => {
  const { code, expected, input, inst } = issue;
  const isEmpty = code === "invalid_type" && expected === "string" && input === undefined;
  const empty =
    isEmpty && inst instanceof z.ZodType ? inst.safeParse("", { error: describeIssue }) : undefined;
  return empty?.error?.issues[0]?.message ?? describeIssue(issue);
};

/** An error of one item stands also at the field that holds the list: most forms have none for the item. */
function withListErrors(errors: SubmissionResult["error"], form: FormData): SubmissionResult["error"] {
  if (!errors) return errors;
  const all = new Map(Object.entries(errors));
  for (const [name, messages] of Object.entries(errors)) {
    const [list = name] = name.split(/[.[](?=\d)/);
    if (list !== name && form.has(list)) all.set(list, [...(all.get(list) ?? []), ...(messages ?? [])]);
  }
  return Object.fromEntries(all);
}

/** @throws AppError `invalid` for an unknown field of a strict schema */
export function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
  { hide, long }: FormOptions,
): ParsedForm<z.infer<S>> {
  const submission = parseWithZod(pickKnownFields(form, schema), {
    schema,
    error: describeFormIssue,
  }) as Submission<z.infer<S>>;
  const hidden = typeof hide === "function" ? hide(form) : hide;
  return {
    submission,
    reply(problem) {
      const result = submission.reply({
        ...(problem?.errors ? { fieldErrors: problem.errors } : {}),
        ...(problem ? { formErrors: [problem.detail] } : {}),
        ...(hidden ? { hideFields: [...hidden] } : {}),
      });
      const placed = { ...result, ...(result.error && { error: withListErrors(result.error, form) }) };
      if (!long || !placed.initialValue) return placed;
      return { ...placed, initialValue: withoutLongTexts(placed.initialValue, long) };
    },
  };
}

export function invalidForm(errors: Record<string, string[] | null> | null | undefined): AppError {
  const fields: FieldErrors = Object.fromEntries(
    Object.entries(errors ?? {}).flatMap(([name, messages]) => (messages ? [[name, messages]] : [])),
  );
  const [name, messages] = Object.entries(fields)[0] ?? [];
  const position = name ? ` (${name})` : "";
  return new AppError("invalid", `The form is not valid: ${messages?.[0] ?? "unknown reason"}${position}`, {
    fields,
  });
}

export function screenProblem(error: unknown, context: EdgeContext): Problem {
  if (error instanceof AppError && error.retryAfter !== undefined) context.retryAfter(error.retryAfter);
  return toProblem(error, context.requestId);
}

/**
 * Runs a loader or action, normalizes texts for hydration and translates errors, which the boundary would
 * show as a bare 500.
 */
export async function onScreen<T>(context: EdgeContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return normalizeForHydration(await work());
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    if (!(error instanceof AppError)) throw error;
    const problem = screenProblem(error, context);
    // A response, since a route without a page would answer a script that asks with an error of no words.
    throw Response.json(problem, { status: problem.status, statusText: problem.title });
  }
}

interface FormField {
  schema: z.ZodType;
  control: { kind: string };
}

/** Values of fields that browsers omit, such as an unchecked switch. */
const ABSENT: Readonly<Record<string, unknown>> = { switch: false, text: "", textarea: "", code: "" };

const toList = (submitted: unknown) => (submitted === undefined ? [] : [submitted].flat());

/** Form fields from a field list, for `z.object`; each has its own schema and default. */
export function formShape(fields: Readonly<Record<string, FormField>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { schema, control }]) => [
      name,
      control.kind === "checks"
        ? z.preprocess(toList, schema)
        : control.kind in ABSENT
          ? schema.prefault(ABSENT[control.kind])
          : schema,
    ]),
  );
}

/** Characters that HTML changes and JSON preserves. */
const DIFFERS = /\r\n?|\0|\p{Surrogate}/gu;

function sameString(text: string): string {
  return text.replace(DIFFERS, (odd) => {
    if (odd === "\0") return "\u2400";
    return odd.startsWith("\r") ? "\n" : "\ufffd";
  });
}

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Normalizes loader texts for hydration: HTML parsers change line ends and U+0000, UTF-8 has no lone surrogates. */
function normalizeForHydration<T>(value: T): T {
  return same(value) as T;
}

function same(value: unknown): unknown {
  if (typeof value === "string") return sameString(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(same);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  // Remix's `data(…)`: a status and headers beside the loader's data.
  if ("type" in value && value.type === "DataWithResponseInit" && "data" in value) {
    value.data = same(value.data);
    return value;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => ({ key, item, shown: same(item) }));
  if (entries.every(({ item, shown: text }) => text === item)) return value;
  return Object.fromEntries(entries.map(({ key, shown: text }) => [key, text]));
}
