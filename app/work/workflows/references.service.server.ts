import { listModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { KeyUse } from "~/team/keys/keys.shared";
import { findPersona, personaPrompt } from "~/work/personas/personas.service.server";
import type { StepServices } from "./steps/step-type";
import { listWorkflowRows } from "./workflows.repo.server";
import type { WorkflowDefinition } from "./workflows.schema";

/** Maximum workflows, newest first. */
const MAX_WORKFLOWS = 2000;

const idOf = ({ config }: { config: Record<string, unknown> }): string | undefined =>
  typeof config.persona === "string" && config.persona !== "" ? config.persona : undefined;

/** What uses a persona by its id, from current versions. */
export function workflowsByPersona(orgId: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { name, definition } of listWorkflowRows(db(), orgId, MAX_WORKFLOWS)) {
    const used = new Set((definition as WorkflowDefinition).steps.map(idOf));
    for (const id of used)
      if (id !== undefined) names.set(id, [...(names.get(id) ?? []), `workflow "${name}"`]);
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
    const fields = { [`steps.${index}.config.persona`]: [message] };
    throw new AppError("invalid", `${message}.`, { fields });
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

/** Texts that may be key ids. */
function* idsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (value.startsWith("key_")) yield value;
  } else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* idsIn(part);
}

/** Keys in current versions, in any field. */
export function workflowKeyUses(orgId: string): KeyUse[] {
  return listWorkflowRows(db(), orgId, MAX_WORKFLOWS).flatMap(({ id, name, definition }) =>
    [...new Set(idsIn(definition))].map((keyId) => ({
      keyId,
      kind: "Workflow",
      name,
      to: `/workflows/${id}`,
    })),
  );
}
