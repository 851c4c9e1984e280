import { listModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { findPersona, personaPrompt } from "~/work/personas/personas.service.server";
import type { StepServices } from "./steps/step-type";
import { listWorkflowRows } from "./workflows.repo.server";
import type { WorkflowDefinition } from "./workflows.schema";

/** Maximum workflows, newest first. */
const MAX_WORKFLOWS = 2000;

const idOf = ({ config }: { config: Record<string, unknown> }): string | undefined =>
  typeof config.persona === "string" && config.persona !== "" ? config.persona : undefined;

/** Workflow names by persona, from current versions. */
export function workflowsByPersona(orgId: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { name, definition } of listWorkflowRows(db(), orgId, MAX_WORKFLOWS)) {
    const used = new Set((definition as WorkflowDefinition).steps.map(idOf));
    for (const id of used) if (id !== undefined) names.set(id, [...(names.get(id) ?? []), name]);
  }
  return names;
}

/** Refuses invisible personas unless already used. @throws AppError `invalid` by field */
export function assertPersonas(
  actor: Actor,
  { steps }: Pick<WorkflowDefinition, "steps">,
  before?: Pick<WorkflowDefinition, "steps">,
): void {
  const usedBefore = new Set(before?.steps.map(idOf));
  for (const [index, step] of steps.entries()) {
    const id = idOf(step);
    if (id === undefined || usedBefore.has(id) || findPersona(actor, id)) continue;
    const message = "Persona not found. Choose another one";
    throw new AppError("invalid", `${message}.`, {
      fields: { [`steps.${index}.config.persona`]: [message] },
    });
  }
}

/** @throws AppError `not_found` if the run's member can't see it */
export function personaForStep(actor: Actor, id: string): Awaited<ReturnType<StepServices["readPersona"]>> {
  const persona = findPersona(actor, id);
  if (!persona)
    throw new AppError("not_found", "The step's persona was not found. Choose another one in the workflow.");
  const isAvailable = listModels(actor).some((model) => model.id === persona.defaultModel);
  return { system: personaPrompt(persona) ?? "", model: isAvailable ? persona.defaultModel : null };
}
