import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import type { Persona } from "~/work/personas/personas.schema";
import { deletePersona, listPersonas, readPersona } from "~/work/personas/personas.service.server";
import { explainUses } from "./explain-uses.shared";
import { workflowsByPersona } from "./personas-in-workflows.service.server";

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
  if (uses.length > 0) throw new AppError("conflict", explainUses(uses));
  return deletePersona(actor, id);
}
