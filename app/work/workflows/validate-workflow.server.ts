import { AppError, type FieldErrors } from "~/core/errors";
import { checkExpression, checkTemplate } from "~/core/expressions/expressions.server";
import { describeIssue } from "~/core/parse";
import { keyRefusal } from "~/team/keys/keys.service.server";
import { expressionSource, isExpression, stepLabel } from "./engine/fill-config";
import { bodyOf, type Graph, isLoop, toGraph, upstreamOf } from "./engine/graph";
import { mailOrigin } from "./polls/poll-mail.server";
import { findStepType } from "./steps/index.server";
import { isBlank } from "./steps/step-config";
import type { StepField } from "./steps/step-type";
import { findTriggerType } from "./triggers/index.server";
import { email } from "./triggers/polled.triggers.server";
import type { TriggerType } from "./triggers/trigger-type";
import type {
  Connection,
  WorkflowDefinition,
  WorkflowInput,
  WorkflowStep,
  WorkflowTrigger,
} from "./workflows.schema";
import {
  bodySize,
  branchesOf,
  cycleMessage,
  findCycle,
  isParallel,
  MAX_LOOP_DEPTH,
  parallelOf,
  triggerTargetMessage,
  unquotedStep,
} from "./workflows.shared";

const MAX_BYTES = 500_000;

interface Problem {
  /** Such as `steps.0.config.prompt`. */
  path: string;
  message: string;
}

/** Generates missing ids, such as `ai_completion_2`. @param existingIds of all parts; the new ones are added */
function withIds<T extends { id?: string | undefined; type: string }>(
  parts: readonly T[],
  existingIds: Set<string>,
): (T & { id: string })[] {
  return parts.map((part) => {
    if (part.id) return { ...part, id: part.id };
    const base = part.type.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[^A-Za-z]+/, "") || "step";
    let n = 1;
    while (existingIds.has(`${base}_${n}`)) n += 1;
    existingIds.add(`${base}_${n}`);
    return { ...part, id: `${base}_${n}` };
  });
}

/** Fills in ids and configurations. */
export function completeDefinition(
  input: Pick<WorkflowInput, "triggers" | "steps" | "connections">,
): WorkflowDefinition {
  const parts = [...(input.triggers ?? []), ...(input.steps ?? [])];
  const existingIds = new Set(parts.flatMap(({ id }) => id ?? []));
  const triggers = withIds(input.triggers ?? [], existingIds).map((trigger) => ({
    ...trigger,
    config: trigger.config ?? { ...findTriggerType(trigger.type)?.defaults },
  }));
  const steps = withIds(input.steps ?? [], existingIds).map((step) => ({
    ...step,
    config: step.config ?? { ...findStepType(step.type)?.defaults },
  }));
  return { triggers, steps, connections: input.connections };
}

function checkIds({ triggers, steps }: WorkflowDefinition): Problem[] {
  const parts = Object.entries({ triggers, steps }).flatMap(([kind, list]) =>
    list.map(({ id }, index) => ({ id, path: `${kind}.${index}.id` })),
  );
  return parts
    .filter(({ id }, at) => parts.findIndex((part) => part.id === id) < at)
    .map(({ id, path }) => ({ path, message: `The ID "${id}" is used twice. Change one` }));
}

/** Whether the value is only known at run time. */
function isOpen(field: StepField, value: unknown): boolean {
  if (isBlank(value)) return false;
  if (field.language === "none") return false;
  if (isExpression(field, value)) return typeof value === "string";
  return JSON.stringify(value).includes("{{");
}

/** Errors independent of expressions, by field. */
function checkConfig(
  { config: schema, fields }: Pick<TriggerType, "config" | "fields">,
  config: Record<string, unknown>,
): { field: string; message: string }[] {
  const issues = schema.safeParse(config, { error: describeIssue }).error?.issues ?? [];
  return issues.flatMap(({ path: [name = ""], message }) => {
    const field = fields.find((one) => one.name === name);
    if (!field) return [{ field: String(name), message }];
    // The builder removes the label beside the field.
    return isOpen(field, config[field.name])
      ? []
      : [{ field: field.name, message: `${field.label}: ${message}` }];
  });
}

function checkTrigger(trigger: WorkflowTrigger, index: number): Problem[] {
  const type = findTriggerType(trigger.type);
  const path = `triggers.${index}`;
  if (!type) return [{ path: `${path}.type`, message: `Unknown trigger type "${trigger.type}"` }];
  return checkConfig(type, trigger.config).map(({ field, message }) => ({
    path: `${path}.config.${field}`,
    message: `${type.label} (${trigger.id}): ${message}`,
  }));
}

/** Texts that may contain expressions. */
function* textsOf(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  if (depth > 8 || typeof value !== "object" || value === null) return;
  for (const one of Object.values(value)) yield* textsOf(one, depth + 1);
}

function checkField(
  field: StepField,
  value: unknown,
  upstream: ReadonlySet<string>,
  all: ReadonlySet<string>,
): string | undefined {
  if (field.language === "none" || isBlank(value)) return undefined;
  for (const text of textsOf(value)) {
    try {
      const used = isExpression(field, value) ? checkExpression(expressionSource(text)) : checkTemplate(text);
      for (const id of used) {
        if (upstream.has(id)) continue;
        if (all.has(id)) return `Step "${id}" must come before this one`;
        return unquotedStep(text) ?? `Step "${id}" doesn't exist`;
      }
    } catch (error) {
      if (error instanceof AppError) return unquotedStep(text) ?? error.message;
      throw error;
    }
  }
  return undefined;
}

function checkStep(step: WorkflowStep, index: number, graph: Graph): Problem[] {
  const type = findStepType(step.type);
  if (!type) return [{ path: `steps.${index}.type`, message: `Unknown step type "${step.type}"` }];
  const label = stepLabel(type, step);
  const at = (field: string, message: string): Problem => ({
    path: `steps.${index}.config.${field}`,
    message: `${label}: ${message}`,
  });
  const upstream = upstreamOf(graph, step.id);
  const all = new Set(graph.steps.map(({ id }) => id));
  const problems = checkConfig(type, step.config).map(({ field, message }) => at(field, message));
  for (const field of type.fields) {
    const message = checkField(field, step.config[field.name], upstream, all);
    if (message !== undefined && !problems.some(({ path }) => path.endsWith(`.${field.name}`)))
      problems.push(at(field.name, `${field.label}: ${message}`));
  }
  if (graph.isList)
    for (const name of ["trueAction", "falseAction"]) {
      const action = step.config[name];
      if (step.type !== "condition" || isBlank(action) || action === "continue" || action === "stop")
        continue;
      const target = graph.steps.findIndex(({ id }) => id === action);
      if (target <= graph.steps.indexOf(step)) problems.push(at(name, "Choose a later step"));
    }
  return problems;
}

function checkConnections({ triggers, steps, connections }: WorkflowDefinition): Problem[] {
  const types = new Map(steps.map((step) => [step.id, step]));
  const triggerIds = new Set(triggers.map(({ id }) => id));
  const problem = (index: number, message: string): Problem => ({ path: `connections.${index}`, message });
  return connections.flatMap(({ from, to, branch }: Connection, index) => {
    if (triggerIds.has(to)) return [problem(index, triggerTargetMessage(to))];
    const source = types.get(from);
    if (!source && !triggerIds.has(from))
      return [problem(index, `Step "${from}" to connect from doesn't exist`)];
    if (!types.has(to)) return [problem(index, `Step "${to}" to connect to doesn't exist`)];
    if (branch === undefined) return [];
    if (!source) return [problem(index, "Remove the branch: triggers have none")];
    const isKnown = branchesOf(source, findStepType(source.type)).includes(branch);
    return isKnown ? [] : [problem(index, `"${from}" has no branch "${branch}"`)];
  });
}

/** A loop's steps that are also reachable otherwise would run without an item. */
function checkBodies(graph: Graph): Problem[] {
  if (graph.isList) return [];
  return graph.steps.filter(isLoop).flatMap(({ id }) => {
    const body = bodyOf(graph, id);
    const outside = [...body].find((inner) =>
      (graph.incoming.get(inner) ?? []).some(({ from }) => from !== id && !body.has(from)),
    );
    const message = `"${outside}" is repeated by "${id}" and can't follow another step too`;
    return outside ? [{ path: "connections", message }] : [];
  });
}

/** How many loops a step is in, by its index in the list. */
function depthsOf(graph: Graph): Map<string, number> {
  const depths = new Map(graph.steps.map(({ id }) => [id, 0]));
  for (const [index, step] of graph.steps.entries()) {
    if (!isLoop(step)) continue;
    const listed = graph.steps.slice(index + 1, index + 1 + bodySize(step)).map(({ id }) => id);
    for (const id of graph.isList ? listed : bodyOf(graph, step.id))
      depths.set(id, (depths.get(id) ?? 0) + 1);
  }
  return depths;
}

function checkNesting(graph: Graph): Problem[] {
  const problems: Problem[] = [];
  const depths = depthsOf(graph);
  const deep = graph.steps.find((step) => isLoop(step) && (depths.get(step.id) ?? 0) >= MAX_LOOP_DEPTH);
  if (deep)
    problems.push({
      path: "steps",
      message: `"${deep.id}" is nested too deep: loops can be nested ${MAX_LOOP_DEPTH} deep`,
    });
  if (!graph.isList) return problems;
  for (const [index, step] of graph.steps.entries()) {
    const split = graph.steps[parallelOf(graph.steps, index)];
    if (split && (isLoop(step) || isParallel(step) || step.type === "condition"))
      problems.push({
        path: `steps.${index}.type`,
        message: `"${step.id}" can't be a branch of "${split.id}" by the list's order. Connect the steps of its branches`,
      });
  }
  return problems;
}

/** A key bound to another origin would fail every run, and every check of a mailbox. */
function checkKeys(orgId: string, { triggers, steps }: WorkflowDefinition): Problem[] {
  const mailboxes = triggers.flatMap(({ id, type, config: { host, key } }, index): Problem[] => {
    if (type !== email.type || typeof host !== "string" || typeof key !== "string") return [];
    const message = keyRefusal(orgId, key, mailOrigin(host.trim()));
    if (message === undefined) return [];
    return [{ path: `triggers.${index}.config.key`, message: `${email.label} (${id}): ${message}` }];
  });
  const own = steps.flatMap((step, index) => {
    const type = findStepType(step.type);
    const field = type?.fields.find(({ control }) => control.kind === "key")?.name;
    const { [field ?? ""]: key, url } = step.config;
    if (!type || typeof key !== "string" || typeof url !== "string") return [];
    if (key === "" || url.includes("{{") || !URL.canParse(url)) return [];
    const message = keyRefusal(orgId, key, new URL(url).origin);
    if (message === undefined) return [];
    return [{ path: `steps.${index}.config.${field}`, message: `${stepLabel(type, step)}: ${message}` }];
  });
  return [...mailboxes, ...own];
}

/**
 * @param ownId the workflow's id, if it is already saved
 * @throws AppError `invalid` with every problem by its field, and the first as its message
 */
export function validateDefinition(orgId: string, definition: WorkflowDefinition, ownId?: string): void {
  if (JSON.stringify(definition).length > MAX_BYTES)
    throw new AppError("invalid", "The workflow is too large. Split it with Call Workflow.");
  const problems = [...checkIds(definition), ...checkConnections(definition)];
  if (problems.length === 0) {
    const cycle = findCycle(definition.steps, definition.connections);
    if (cycle) problems.push({ path: "connections", message: cycleMessage(cycle) });
  }
  if (problems.length === 0) {
    const graph = toGraph(definition);
    problems.push(
      ...definition.triggers.flatMap(checkTrigger),
      ...definition.steps.flatMap((step, index) => checkStep(step, index, graph)),
      ...checkBodies(graph),
      ...checkNesting(graph),
      ...checkKeys(orgId, definition),
    );
    for (const [index, { type, config }] of definition.steps.entries())
      if (type === "call_workflow" && ownId !== undefined && config.workflow === ownId)
        problems.push({ path: `steps.${index}.config.workflow`, message: "A workflow can't call itself" });
  }
  const [first] = problems;
  if (!first) return;
  const fields: FieldErrors = {};
  for (const { path, message } of problems) fields[path] = [...(fields[path] ?? []), message];
  const message = /[.!?]$/.test(first.message) ? first.message : `${first.message}.`;
  throw new AppError("invalid", message, { fields });
}
