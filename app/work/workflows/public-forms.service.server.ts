import type { z } from "zod";
import { db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { derivedId, newId } from "~/core/ids.server";
import { describeIssue, fieldErrorsOf } from "~/core/parse";
import { addressGroup, RateLimiter } from "~/core/rate-limiter.server";
import { engine } from "./engine/local-engine.server";
import { canRun, runActor } from "./engine/run-actor.server";
import { definitionOf } from "./require-workflow.server";
import type { Json } from "./steps/step-type";
import { type DeclaredInput, declaredInputs, valuesSchema } from "./triggers/declared-inputs";
import { form } from "./triggers/form.trigger.server";
import { findHook, findWorkflowById, type HookRow, type WorkflowRow } from "./workflows.repo.server";
import { FORM_FIELD } from "./workflows.shared";

export interface PublicForm {
  title: string;
  description: string;
  /** With the names of their form fields. */
  inputs: (DeclaredInput & { field: string })[];
  button: string;
  /** Shown once an answer was sent. */
  thanks: string;
  /** Names this showing of the page. */
  visit: string;
}

const fieldOf = (name: string) => FORM_FIELD + name;

const CLOSED = "This form is closed. Ask the person who gave you the link.";
const MIN_PER_ADDRESS = 5;
/** By form, and by form and address. */
const submissions = new RateLimiter();

interface Target {
  hook: HookRow;
  workflow: WorkflowRow;
  config: z.infer<typeof form.config>;
}

/** The same answer for an unknown, changed and disabled form, so that nothing is learned by trying. */
function findForm(token: string): Target {
  const hook = findHook(db(), token);
  const workflow = hook && findWorkflowById(db(), hook.workflowId);
  const triggers = workflow?.enabled ? definitionOf(workflow.id, workflow.version).triggers : [];
  const trigger = triggers.find(({ id, type }) => id === hook?.triggerId && type === form.type);
  const config = trigger && form.config.safeParse(trigger.config).data;
  if (!hook || !workflow || !config || !canRun(db(), workflow)) throw new AppError("not_found", CLOSED);
  return { hook, workflow, config };
}

export function readForm(token: string): PublicForm {
  const { title, description, inputs, button, thanks } = findForm(token).config;
  const named = declaredInputs(inputs).map((input) => ({ ...input, field: fieldOf(input.name) }));
  return { title, description, inputs: named, button, thanks, visit: newId("vis") };
}

function assertRate({ hook, config: { perHour } }: Target, address: string): void {
  const own = Math.max(MIN_PER_ADDRESS, Math.ceil(perHour / 10));
  const quotas = [
    [`${hook.token} ${addressGroup(address)}`, Math.min(own, perHour)],
    [hook.token, perHour],
  ] as const;
  for (const [key, limit] of quotas) {
    const { allowed, retryMs } = submissions.take(key, { limit, windowMs: HOUR });
    if (allowed) continue;
    const message = "This form was sent too often. Try again later.";
    throw new AppError("rate_limited", message, { retryAfter: Math.ceil(retryMs / 1000) });
  }
}

/** A form's text as the declared kind; a blank one is left out, and a required box that isn't ticked. */
function valueFrom({ kind, name, required }: DeclaredInput, posted: FormData): unknown {
  const text = posted.get(fieldOf(name));
  if (kind === "yesno") return text === "on" || (required ? undefined : false);
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return kind === "number" ? numberIn(text.trim()) : text;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** Phones offer a decimal comma alone in many languages. With three digits behind it, it may part thousands. */
function numberIn(text: string): number {
  const plain = /,\d{3}$/.test(text) ? text : text.replace(",", ".");
  return DECIMAL.test(plain) ? Number(plain) : Number.NaN;
}

/** The name of a field that people don't see: what fills it in is a program. */
export const TRAP = "website";
/** Of the field with the page's `visit`. */
export const VISIT = "visit";

/** The same values from the same page start one run, as after a second press or a lost answer; changed ones another. */
function keysOf(triggerId: string, payload: Json, posted: FormData): string[] {
  const visit = posted.get(VISIT);
  return typeof visit === "string" && visit !== ""
    ? [derivedId("form", triggerId, visit, JSON.stringify(payload))]
    : [];
}

/** @throws AppError `invalid`, by the form's fields */
function parseValues(inputs: readonly DeclaredInput[], posted: FormData): Json {
  const given = inputs.map((input) => [input.name, valueFrom(input, posted)] as const);
  const values = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const parsed = valuesSchema(inputs).safeParse(values, { error: describeIssue });
  if (parsed.success) return parsed.data as Json;
  const missing = ({ kind }: DeclaredInput) => [kind === "yesno" ? "Tick this box" : "Fill this in"];
  const errors = new Map(Object.entries(fieldErrorsOf(parsed.error)));
  const fields = inputs.flatMap((input) => {
    const own = errors.get(input.name);
    return own ? [[fieldOf(input.name), Object.hasOwn(values, input.name) ? own : missing(input)]] : [];
  });
  throw new AppError("invalid", "Some fields need another look.", { fields: Object.fromEntries(fields) });
}

/**
 * Starts a run. One that fills in the trap gets the same answer and starts none.
 *
 * @param posted the form's fields; unknown ones are ignored
 * @throws AppError `not_found` if the form isn't open, `invalid` by field, `rate_limited`
 */
export async function submitForm(token: string, posted: FormData, address: string): Promise<void> {
  const target = findForm(token);
  const { hook, workflow, config } = target;
  if (posted.get(TRAP)) return;
  // A person who mends a field has sent nothing yet.
  const payload = parseValues(declaredInputs(config.inputs), posted);
  assertRate(target, address);
  await engine().accept(runActor(workflow), {
    workflowId: workflow.id,
    triggerId: hook.triggerId,
    triggerType: form.type,
    payload,
    idempotencyKeys: keysOf(hook.triggerId, payload, posted),
  });
}
