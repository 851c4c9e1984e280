import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import type { Persona } from "~/features/personas/personas.schema";
import { deletePersona, listPersonas, readPersona } from "~/features/personas/personas.service.server";
import { workflowsByPersona } from "~/features/workflows/personas-in-workflows.service.server";

/** Workflow names by visible persona. */
export function listPersonaUses(actor: Actor): Record<string, string[]> {
  authorise(actor, "personas.write");
  const names = workflowsByPersona(actor.orgId);
  return Object.fromEntries(
    listPersonas(actor).flatMap(({ id }) => (names.has(id) ? [[id, names.get(id) ?? []]] : [])),
  );
}

/** Keeps conversations. @throws AppError `not_found`, `conflict` with the workflows that use it */
export function removePersona(actor: Actor, id: string): Persona {
  authorise(actor, "personas.write");
  const uses = workflowsByPersona(actor.orgId).get(readPersona(actor, id).id) ?? [];
  if (uses.length > 0) {
    const names = uses.map((name) => `"${name}"`).join(", ");
    const which = uses.length === 1 ? `the workflow ${names}` : `the workflows ${names}`;
    throw new AppError("conflict", `It is used by ${which}. Choose another persona there first.`);
  }
  return deletePersona(actor, id);
}
