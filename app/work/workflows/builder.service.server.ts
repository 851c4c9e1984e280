import { z } from "zod";
import { listModels, offerModels, topBarModel } from "~/ai/models/models.service.server";
import { offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { describeExpressions, readMap } from "~/core/expressions/expressions.server";
import { describeIssue, fieldErrorsOf } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import { distinctNames } from "~/platform/catalogue/names";
import { authorise } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { offerKeys } from "~/team/keys/keys.service.server";
import { keyLabel } from "~/team/keys/keys.shared";
import { listTimeZones } from "~/team/organization/organization.service.server";
import { listCategoryNames } from "~/work/documents/categories/categories.service.server";
import { listPersonas } from "~/work/personas/personas.service.server";
import {
  BUILDER_VIEWS,
  type BuilderQuery,
  type Choices,
  Draft,
  type DraftPart,
  type ExpressionName,
  type ShownSamples,
} from "./builder.schema";
import { draftFromForm, OPTION_FIELDS, toWorkflowInput } from "./builder-form.shared";
import { applyOperation } from "./builder-operations.shared";
import { CONDITION_FIELDS } from "./condition-rows.shared";
import { describeDraft, toolFieldsOf } from "./draft-facts.server";
import { findTemplate } from "./exchange.service.server";
import { listPartTypes } from "./part-types.server";
import { traceRun } from "./run-drawing.service.server";
import { tryWorkflow } from "./runs.service.server";
import { sampleNames } from "./sample-values.shared";
import { NO_SAMPLES, readSamples } from "./samples.service.server";
import { SCHEDULE_FIELDS } from "./schedule.shared";
import {
  inputOf,
  isRecord,
  TOOL_INPUT_FIELDS,
  type ToolTexts,
  textsOf,
  writtenInput,
} from "./tool-input.shared";
import { completeDefinition, validateDefinition } from "./validate-workflow.server";
import { assertToolNames } from "./workflow-tools.service.server";
import { type Workflow, WorkflowInput } from "./workflows.schema";
import { createWorkflow, pageWorkflows, readWorkflow, updateWorkflow } from "./workflows.service.server";
import { MAX_STEPS, MAX_TRIGGERS, stepPath } from "./workflows.shared";

const MAX_CALLEES = 200;
const NO_NODES = "Add at least one node to the workflow";

/** The most useful functions of the expression language. */
const FUNCTIONS: readonly ExpressionName[] = [
  { name: "size(", description: "Length of a string or list: size(trigger.items)" },
  { name: "json(", description: "A value as JSON: json(trigger)" },
  { name: "has(", description: "Whether a field exists: has(trigger.id)" },
  { name: "string(", description: "A value as text: string(index)" },
  { name: "int(", description: "A value as a whole number: int(trigger.count)" },
];

const text = z.string().optional();
const shape = (names: readonly string[]) => z.object(Object.fromEntries(names.map((name) => [name, text])));

/** The type defines the fields, since plugins add types. */
const PartForm = z.object({
  id: text,
  name: text,
  config: z.record(z.string().max(60), text).optional(),
  options: shape(OPTION_FIELDS).optional(),
  condition: shape(CONDITION_FIELDS).optional(),
  schedule: shape(SCHEDULE_FIELDS).optional(),
  input: shape(TOOL_INPUT_FIELDS).optional(),
});

/** Validated on save, so that no typed text is lost. */
export const BuilderForm = z.object({
  draft: text,
  view: z.enum(BUILDER_VIEWS).optional(),
  name: text,
  description: text,
  model: text,
  op: text,
  tryStep: text,
  sampleTrigger: text,
  sampleSteps: text,
  addTrigger: text,
  addStep: text,
  addAt: text,
  triggers: z.array(PartForm).max(MAX_TRIGGERS).optional(),
  steps: z.array(PartForm).max(MAX_STEPS).optional(),
  connections: z
    .array(z.object({ from: text, to: text, branch: text }))
    .max(400)
    .optional(),
});
export type BuilderForm = z.infer<typeof BuilderForm>;

const toOption = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });

function listChoices(actor: Actor, ownId: string | undefined): Choices {
  const keys = (kind: "database" | "other") =>
    offerKeys(actor, kind).map((key) => ({ value: key.id, label: keyLabel(key) }));
  return {
    model: offerModels(actor),
    tool: offerTools(actor).map(({ name, title }) => ({ value: name, label: `${title} (${name})` })),
    workflow: distinctNames(pageWorkflows(actor, { limit: MAX_CALLEES }).workflows)
      .filter(({ id }) => id !== ownId)
      .map(toOption),
    database: keys("database"),
    key: keys("other"),
    persona: distinctNames(listPersonas(actor)).map(toOption),
    category: listCategoryNames(actor).map((name) => ({ value: name, label: name })),
    timeZones: listTimeZones(),
    timeZone: orgTimeZone(actor.orgId),
  };
}

/** A stored input as its tool's form shows it, else as it is. */
function withToolForm(step: DraftPart, tools: ReturnType<typeof toolFieldsOf>): DraftPart {
  const fields = tools[String(step.config.tool)];
  const { input } = step.config;
  if (step.type !== "run_tool" || !fields) return step;
  const written = typeof input === "string" ? (writtenInput(input) ?? readMap(input || "{}")) : input;
  const texts = textsOf(fields, written);
  return texts ? { ...step, config: { ...step.config, input: texts } } : step;
}

/** With tools' inputs as their forms show them. */
function withToolForms(actor: Actor, draft: Draft): Draft {
  const tools = toolFieldsOf(actor, draft);
  return { ...draft, steps: draft.steps.map((step) => withToolForm(step, tools)) };
}

function shownSamples(actor: Actor, id: string | undefined): ShownSamples {
  const { trigger, steps, ranAt } = id === undefined ? NO_SAMPLES : readSamples(actor, id);
  const shown = Object.entries(steps).map(([stepId, { output, isPinned }]) => [
    stepId,
    { isPinned, names: sampleNames(output, stepPath(stepId)) },
  ]);
  return {
    ranAt,
    trigger: trigger === undefined ? [] : sampleNames(trigger, "trigger"),
    steps: Object.fromEntries(shown),
  };
}

function startingDraft(actor: Actor, { id, template }: z.infer<typeof BuilderQuery>, model: string): Draft {
  if (id !== undefined) {
    const { createdAt: _, ...workflow } = readWorkflow(actor, id);
    return withToolForms(actor, Draft.parse({ ...workflow, model }));
  }
  const source = template === undefined ? undefined : findTemplate(actor.orgId, template);
  if (template !== undefined && !source)
    throw new AppError("not_found", "Template not found. Choose another one, or enable its plugin.");
  return withToolForms(actor, Draft.parse({ ...source, id: undefined, model }));
}

export function readBuilder(actor: Actor, query: z.infer<typeof BuilderQuery>) {
  authorise(actor, "workflows.write");
  const draft = startingDraft(actor, query, topBarModel(actor, listModels(actor)));
  return {
    types: listPartTypes(actor.orgId),
    choices: listChoices(actor, query.id),
    draft,
    facts: describeDraft(actor, draft),
    samples: shownSamples(actor, query.id),
    isEnabled: query.id === undefined ? undefined : readWorkflow(actor, query.id).enabled,
    run: query.id === undefined || query.run === undefined ? undefined : traceRun(actor, query.id, query.run),
    names: [...describeExpressions().variables, ...FUNCTIONS],
  };
}

/** Parses the hidden JSON of a form; an empty draft if it is invalid. */
function hiddenDraft(json: string | undefined): Draft {
  try {
    return Draft.parse(parseWellFormed(json || "{}"));
  } catch {
    return Draft.parse({});
  }
}

/** The draft of a form, unvalidated. */
export const readDraft = (actor: Actor, form: BuilderForm): Draft =>
  draftFromForm(form, listPartTypes(actor.orgId), hiddenDraft(form.draft));

/** Applies a button without storing anything. */
export function changeDraft(actor: Actor, form: BuilderForm) {
  authorise(actor, "workflows.write");
  const { op = "", addTrigger, addStep, addAt } = form;
  const fields = op === "add.triggers" ? { type: addTrigger } : { type: addStep, at: addAt };
  const before = readDraft(actor, form);
  const changed = changeToolInput(actor, before, op) ?? before;
  const draft = applyOperation(changed, op, listPartTypes(actor.orgId), fields);
  return { draft, facts: describeDraft(actor, draft) };
}

/** The buttons `asjson.steps.0` and `asform.steps.0` of Run Tool. */
function changeToolInput(actor: Actor, draft: Draft, op: string): Draft | undefined {
  const [verb, where, at] = op.split(".");
  const step = draft.steps[Number(at)];
  if (where !== "steps" || !step || (verb !== "asjson" && verb !== "asform")) return undefined;
  const tools = toolFieldsOf(actor, draft);
  const { input } = step.config;
  const fields = tools[String(step.config.tool)] ?? [];
  const json = isRecord(input) ? JSON.stringify(inputOf(fields, input as ToolTexts), null, 2) : input;
  const changed =
    verb === "asform" ? withToolForm(step, tools) : { ...step, config: { ...step.config, input: json } };
  return { ...draft, steps: draft.steps.with(Number(at), changed) };
}

export const inputFrom = (actor: Actor, draft: Draft) =>
  toWorkflowInput(draft, listPartTypes(actor.orgId), toolFieldsOf(actor, draft));

export function readInput(actor: Actor, draft: Draft): WorkflowInput {
  const parsed = WorkflowInput.safeParse(inputFrom(actor, draft), { error: describeIssue });
  const fields: FieldErrors = parsed.success ? {} : fieldErrorsOf(parsed.error);
  const isEmpty = draft.triggers.length + draft.steps.length === 0;
  if (parsed.success && !isEmpty) return parsed.data;
  const [first] = Object.values(fields).flat();
  throw new AppError("invalid", isEmpty && !fields.name ? NO_NODES : (first ?? NO_NODES), { fields });
}

/** @throws AppError `invalid` by field; `conflict` for a stale version */
export function saveDraft(actor: Actor, form: BuilderForm): { workflow: Workflow; created: boolean } {
  authorise(actor, "workflows.write");
  const draft = readDraft(actor, form);
  const input = readInput(actor, draft);
  // Its first run is a try: who built it enables it when it is ready.
  if (draft.id === undefined) {
    assertToolNames(db(), actor.orgId, completeDefinition(input));
    return { workflow: createWorkflow(actor, input, { enabled: false }), created: true };
  }
  const { name, description, triggers = [], steps = [], connections } = input;
  const { version, updatedAt } = draft;
  const patch = { name, description, triggers, steps, connections, version, updatedAt };
  return { workflow: updateWorkflow(actor, draft.id, patch), created: false };
}

interface StartedDraft {
  workflow: Workflow;
  /** Absent if the saved workflow was refused. */
  runId?: string;
  refusal?: string;
}

/** Saves the draft and runs it. @throws AppError as `saveDraft` does */
export async function runDraft(actor: Actor, form: BuilderForm): Promise<StartedDraft> {
  const { workflow } = saveDraft(actor, form);
  try {
    return { workflow, runId: (await tryWorkflow(actor, workflow.id)).id };
  } catch (error) {
    // It is saved either way, and the form has to learn its id.
    if (error instanceof AppError) return { workflow, refusal: error.message };
    throw error;
  }
}

/** Validation errors by field. */
function problemsOf(actor: Actor, draft: Draft): FieldErrors {
  try {
    const input = readInput(actor, { ...draft, name: draft.name.trim() || "-" });
    const definition = completeDefinition(input);
    validateDefinition(actor.orgId, definition, draft.id);
    assertToolNames(db(), actor.orgId, definition, draft.id);
    return {};
  } catch (error) {
    // An empty draft isn't an error of a field.
    if (error instanceof AppError && error.code === "invalid") return error.fields ?? {};
    throw error;
  }
}

/** What the builder shows beside a draft that changes. */
export function checkDraft(actor: Actor, form: BuilderForm) {
  authorise(actor, "workflows.write");
  const draft = readDraft(actor, form);
  return { problems: problemsOf(actor, draft), facts: describeDraft(actor, draft) };
}
