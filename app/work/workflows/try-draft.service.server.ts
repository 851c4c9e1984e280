import { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import type { Draft, Tried } from "./builder.schema";
import {
  type BuilderForm,
  type changeDraft,
  inputFrom,
  readDraft,
  readInput,
} from "./builder.service.server";
import { describeDraft } from "./draft-facts.server";
import { toGraph, upstreamOf } from "./engine/graph";
import { TryStepInput } from "./runs.schema";
import { NO_SAMPLES, pinStepOutput, readSamples, unpinOutput } from "./samples.service.server";
import type { Json } from "./steps/step-type";
import { tryStep, tryUpTo } from "./try-step.service.server";
import { completeDefinition, validateDefinition } from "./validate-workflow.server";
import type { WorkflowDefinition } from "./workflows.schema";

const Outputs = z.record(z.string(), z.unknown());

/** @returns undefined for a blank text */
function readJson(text: string, label: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return parseWellFormed(text);
  } catch {
    throw new AppError("invalid", `${label}: Enter JSON, such as {"name": "Ada"}.`);
  }
}

/** What a form says to try with, over what the last run left. */
function readSample(actor: Actor, draft: Draft, trigger: string, steps: string) {
  const last = draft.id === undefined ? NO_SAMPLES : readSamples(actor, draft.id);
  const outputs = Outputs.safeParse(readJson(steps, "Earlier outputs") ?? {});
  if (!outputs.success)
    throw new AppError("invalid", "Earlier outputs: Enter a JSON object with the steps' ids.");
  const payload = (readJson(trigger, "Trigger data") ?? last.trigger ?? {}) as Json;
  return { last, payload, typed: outputs.data };
}

type BuiltStep = ReturnType<typeof inputFrom>["steps"][number];

async function tryAlone(actor: Actor, draft: Draft, step: BuiltStep, form: BuilderForm, signal: AbortSignal) {
  const { sampleTrigger = "", sampleSteps = "" } = form;
  const { last, payload, typed } = readSample(actor, draft, sampleTrigger, sampleSteps);
  const earlier = Object.entries(last.steps).map(([id, { output }]) => [id, output]);
  const input = TryStepInput.safeParse({
    step,
    trigger: payload,
    steps: { ...Object.fromEntries(earlier), ...typed },
    ...(draft.id === undefined ? {} : { workflowId: draft.id }),
  });
  if (!input.success)
    throw new AppError("invalid", input.error.issues[0]?.message ?? "The step can't be tried.");
  return { tried: await tryStep(actor, input.data, signal) };
}

/** What is wrong with steps that the try doesn't reach doesn't matter to it. */
function assertTriable(actor: Actor, draft: Draft, stepId: string): WorkflowDefinition {
  const definition = completeDefinition(readInput(actor, { ...draft, name: draft.name.trim() || "-" }));
  try {
    validateDefinition(actor.orgId, definition, draft.id);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    const entries = Object.entries(error.fields ?? {});
    const isStructural = entries.length === 0 || entries.some(([path]) => !/^steps\.\d+\.config/.test(path));
    if (isStructural) throw error;
    const before = upstreamOf(toGraph(definition), stepId).add(stepId);
    const own = entries.filter(([path]) =>
      before.has(definition.steps[Number(path.split(".")[1])]?.id ?? ""),
    );
    const [first] = own.flatMap(([, messages]) => messages);
    if (first !== undefined) throw new AppError("invalid", `${first}.`, { fields: Object.fromEntries(own) });
  }
  return definition;
}

async function tryWithEarlier(
  actor: Actor,
  draft: Draft,
  stepId: string,
  form: BuilderForm,
  signal: AbortSignal,
) {
  const { last: samples, payload } = readSample(actor, draft, form.sampleTrigger ?? "", "");
  const definition = assertTriable(actor, draft, stepId);
  const input = { definition, stepId, workflowId: draft.id, payload, samples };
  const { earlier, ...tried } = await tryUpTo(actor, input, signal);
  return { tried, earlier };
}

/** Errors are part of the result. @param upTo whether the steps before it run first */
export async function tryDraftStep(
  actor: Actor,
  form: BuilderForm,
  signal: AbortSignal,
  upTo = false,
): Promise<Tried & ReturnType<typeof changeDraft>> {
  authorise(actor, "workflows.write");
  const draft = readDraft(actor, form);
  const { tryStep: stepId = "", sampleTrigger: trigger = "", sampleSteps: steps = "" } = form;
  const base = { draft, facts: describeDraft(actor, draft), stepId, sample: { trigger, steps } };
  try {
    const step = inputFrom(actor, draft).steps.find(({ id }) => id === stepId);
    if (!step) throw new AppError("invalid", "Choose a step.");
    const result = upTo
      ? await tryWithEarlier(actor, draft, stepId, form, signal)
      : await tryAlone(actor, draft, step, form, signal);
    return { ...base, ...result };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    const [field] = Object.values(error.fields ?? {}).flat();
    return { ...base, tried: { ok: false, error: field ?? error.message } };
  }
}

/** Pins the step's output of the last run, or unpins it. The draft stays as it is. */
export function pinDraftStep(actor: Actor, form: BuilderForm, isPinned: boolean) {
  authorise(actor, "workflows.write");
  const draft = readDraft(actor, form);
  const { tryStep: stepId = "" } = form;
  if (draft.id === undefined) throw new AppError("invalid", "Save the workflow first.");
  if (isPinned) pinStepOutput(actor, draft.id, stepId);
  else unpinOutput(actor, draft.id, stepId);
  return { draft, facts: describeDraft(actor, draft) };
}
