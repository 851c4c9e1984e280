import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";
import { authorise } from "~/platform/rights/authorization.server";
import { explainUses } from "./explain-uses.shared";
import type { Persona } from "./personas.schema";
import { deletePersona, listPersonas, readPersona } from "./personas.service.server";

/** Names of the workflows that use each persona of an organization. */
type Uses = (orgId: string) => ReadonlyMap<string, readonly string[]>;

const sources = () => kept("persona uses", () => new Set<Uses>());

/** Keeps personas from being deleted while something uses them. @returns a function to remove it */
export function registerPersonaUses(uses: Uses): () => void {
  sources().add(uses);
  return () => void sources().delete(uses);
}

function usesOf(orgId: string): (id: string) => string[] {
  const all = [...sources()].map((uses) => uses(orgId));
  return (id) => all.flatMap((names) => names.get(id) ?? []);
}

/** Workflow names by visible persona. */
export function listPersonaUses(actor: Actor): Record<string, string[]> {
  authorise(actor, "personas.write");
  const namesOf = usesOf(actor.orgId);
  const used = listPersonas(actor).map(({ id }) => [id, namesOf(id)] as const);
  return Object.fromEntries(used.filter(([, names]) => names.length > 0));
}

/** Keeps conversations. @throws AppError `not_found`, `conflict` with the workflows that use it */
export function removePersona(actor: Actor, id: string): Persona {
  authorise(actor, "personas.write");
  const uses = usesOf(actor.orgId)(readPersona(actor, id).id);
  if (uses.length > 0) throw new AppError("conflict", explainUses(uses));
  return deletePersona(actor, id);
}
