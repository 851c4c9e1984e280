import { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import type { Draft } from "./builder.schema";
import { type BuilderForm, readDraft } from "./builder.service.server";
import { toWorkflowInput } from "./builder-form.shared";
import { listPartTypes } from "./part-types.server";
import { type TriedStep, TryStepInput } from "./try-step.schema";
import { tryStep } from "./try-step.service.server";

/** A tried step with its sample. */
export interface TriedDraft {
  draft: Draft;
  stepId: string;
  sample: { trigger: string; steps: string };
  tried: Pick<TriedStep, "ok" | "error"> & Partial<TriedStep>;
}

const Outputs = z.record(z.string(), z.unknown());

function readJson(text: string, label: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseWellFormed(text);
  } catch {
    throw new AppError("invalid", `${label}: Enter JSON, such as {"name": "Ada"}.`);
  }
}

/** Errors are part of the result. */
export async function tryDraftStep(
  actor: Actor,
  form: BuilderForm,
  signal: AbortSignal,
): Promise<TriedDraft> {
  authorise(actor, "workflows.write");
  const draft = readDraft(actor, form);
  const { tryStep: stepId = "", sampleTrigger: trigger = "", sampleSteps: steps = "" } = form;
  const base = { draft, stepId, sample: { trigger, steps } };
  try {
    const step = toWorkflowInput(draft, listPartTypes(actor.orgId)).steps.find(({ id }) => id === stepId);
    if (!step) throw new AppError("invalid", "Choose a step.");
    const outputs = Outputs.safeParse(readJson(steps, "Earlier outputs"));
    if (!outputs.success)
      throw new AppError("invalid", "Earlier outputs: Enter a JSON object with the steps' ids.");
    const input = TryStepInput.safeParse({
      step,
      trigger: readJson(trigger, "Trigger data"),
      steps: outputs.data,
      ...(draft.id === undefined ? {} : { workflowId: draft.id }),
    });
    if (!input.success)
      throw new AppError("invalid", input.error.issues[0]?.message ?? "The step can't be tried.");
    return { ...base, tried: await tryStep(actor, input.data, signal) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    const [field] = Object.values(error.fields ?? {}).flat();
    return { ...base, tried: { ok: false, error: field ?? error.message } };
  }
}
