import type { Actor } from "~/core/actor";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import { namesOfActors } from "~/team/members/actor-names.service.server";

/** Authors whose name has a word that was searched for. */
export function findActors(actor: Actor): { id: string; name: string }[] {
  const names = Object.entries(namesOfActors(actor)).map(([id, name]) => ({
    id,
    name: id.startsWith("workflow:") ? `Workflow ${name}` : name,
  }));
  return [...names, { id: "system", name: "System" }, { id: STRANGER, name: "Someone" }];
}
