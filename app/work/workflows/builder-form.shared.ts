import { parseWellFormed } from "~/core/well-formed";
import type { Draft, DraftConnection, DraftPart, PartKind, PartType } from "./builder.schema";
import { changePart, findPartType, withParts } from "./builder-draft.shared";
import { type ConditionRows, rowsFromForm, rowsOf, withRows } from "./condition-rows.shared";
import { cronFromForm } from "./schedule.shared";
import {
  inputOf,
  isRecord,
  type ToolField,
  type ToolTexts,
  textsFromForm,
  writtenInput,
} from "./tool-input.shared";

type Types = readonly PartType[];
type Typed = Record<string, unknown>;
const record = (value: unknown): Typed =>
  typeof value === "object" && value !== null ? (value as Typed) : {};
const rows = (value: unknown): Typed[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Fields of `options` in a step's form. */
export const OPTION_FIELDS = [
  "retries",
  "retryDelaySeconds",
  "timeoutSeconds",
  "onError",
  "askAfterCrash",
] as const;

const isRow = (value: unknown) => {
  const { field, operator, value: other } = record(value);
  return [field, operator, other].every((one) => typeof one === "string");
};

/** Invalid parts are dropped. */
function readParts(value: unknown): DraftPart[] {
  return rows(value).flatMap(({ id, type, config, condition, ...others }) => {
    if (typeof id !== "string" || typeof type !== "string") return [];
    const part = { ...others, id, type, config: record(config) } as DraftPart;
    const edited = record(condition);
    const isCondition = Array.isArray(edited.rows) && edited.rows.every(isRow);
    return [isCondition ? { ...part, condition: condition as ConditionRows } : part];
  });
}

const readConnections = (value: unknown): DraftConnection[] =>
  rows(value).map(({ from, to, branch }) => ({
    from: text(from),
    to: text(to),
    ...(text(branch) ? { branch: text(branch) } : {}),
  }));

/** Reads the form's hidden JSON in the browser, where zod isn't loaded. Invalid parts are dropped. */
export function readDraftJson(json: unknown): Draft {
  let parsed: Typed = {};
  try {
    parsed = record(parseWellFormed(text(json) || "{}"));
  } catch {
    // An empty draft.
  }
  const { id, version, updatedAt } = parsed;
  return {
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof version === "number" ? { version } : {}),
    ...(typeof updatedAt === "string" ? { updatedAt } : {}),
    name: text(parsed.name),
    description: text(parsed.description),
    model: text(parsed.model),
    triggers: readParts(parsed.triggers),
    steps: readParts(parsed.steps),
    connections: readConnections(parsed.connections),
  };
}

/** Browsers omit unchecked switches, and conform empty texts. */
function applyTypedFields(part: DraftPart, typed: Typed, type: PartType | undefined): DraftPart {
  const config = { ...part.config };
  for (const { name, control } of type?.fields ?? []) {
    const value = record(typed.config)[name];
    if (control.kind === "condition" && rowsOf(part)) continue;
    if (control.kind === "schedule")
      config[name] = cronFromForm(text(value), record(typed.schedule), text(part.config[name]));
    else if (control.kind === "toolInput")
      config[name] = textsFromForm(record(typed.input)) ?? (value === undefined ? part.config[name] : value);
    else config[name] = control.kind === "switch" ? value === "on" : text(value);
  }
  const name = text(typed.name);
  const submitted = record(typed.options);
  const options = Object.fromEntries(
    OPTION_FIELDS.flatMap((key) =>
      submitted[key] ? [[key, key === "askAfterCrash" ? true : submitted[key]]] : [],
    ),
  );
  const { name: _, options: __, ...rest } = part;
  const isCondition = type?.fields.some(({ control }) => control.kind === "condition") && rowsOf(part);
  const { condition, ...own } = isCondition
    ? withRows({ ...rest, config }, rowsFromForm(record(typed.condition)))
    : { ...rest, config };
  return {
    ...own,
    ...(condition ? { condition } : {}),
    id: text(typed.id),
    ...(name ? { name } : {}),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

/**
 * The draft of a submitted form: its hidden JSON, overlaid with the fields of the list view.
 *
 * @param hidden the parsed hidden JSON
 */
export function draftFromForm(submitted: Typed, types: Types, hidden: Draft): Draft {
  const head = {
    name: text(submitted.name),
    description: text(submitted.description),
    model: text(submitted.model),
  };
  let draft: Draft = { ...hidden, ...head };
  if (submitted.view !== "list") return draft;
  draft = { ...draft, connections: readConnections(submitted.connections) };
  for (const kind of ["triggers", "steps"] as const) {
    const typed = rows(submitted[kind]);
    for (const [index, part] of hidden[kind].entries()) {
      const next = applyTypedFields(part, typed[index] ?? {}, findPartType(types, kind, part.type));
      draft = changePart(draft, kind, index, { id: next.id });
      draft = withParts(draft, kind, draft[kind].with(index, next));
    }
  }
  return draft;
}

const isNumber = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));

/** The input of Run Tool: typed texts by the tool's fields, else JSON, else an expression. */
function toToolInput(value: unknown, fields: readonly ToolField[] | undefined): unknown {
  if (typeof value === "string") return writtenInput(value) ?? value;
  return fields && isRecord(value) ? inputOf(fields, value as ToolTexts) : value;
}

function toConfig(
  part: DraftPart,
  type: PartType | undefined,
  { model, tools }: { model: string; tools: Tools },
): Record<string, unknown> {
  const config = { ...part.config };
  for (const { name, control } of type?.fields ?? []) {
    const value = config[name];
    if (control.kind === "number") {
      if (isNumber(value)) config[name] = Number(value);
      else if (value === "" || value === undefined) delete config[name];
    }
    if (control.kind === "model" && !value && model) config[name] = model;
    if (control.kind === "toolInput") config[name] = toToolInput(value, tools[text(config.tool)]);
  }
  return config;
}

function toOptions(options: Typed | undefined): Typed | undefined {
  const entries = Object.entries(options ?? {}).flatMap(([key, value]): [string, unknown][] => {
    if (value === "" || value === false || (key === "onError" && value === "stop")) return [];
    return [[key, isNumber(value) ? Number(value) : value]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

type Tools = Readonly<Record<string, readonly ToolField[]>>;

/** Input for the schema: parsed numbers, default models, no blank rows. @param tools fields of the called tools by name */
export function toWorkflowInput(draft: Draft, types: Types, tools: Tools = {}) {
  const { name, description, model, triggers, steps, connections } = draft;
  const part = (kind: PartKind) => (one: DraftPart) => {
    const options = toOptions(one.options);
    return {
      id: one.id.trim(),
      type: one.type,
      ...(one.name?.trim() ? { name: one.name } : {}),
      config: toConfig(one, findPartType(types, kind, one.type), { model, tools }),
      ...(options ? { options } : {}),
      ...(one.position ? { position: one.position } : {}),
    };
  };
  return {
    name,
    description,
    triggers: triggers.map(part("triggers")),
    steps: steps.map(part("steps")),
    connections: connections.filter(({ from, to }) => from || to),
  };
}
