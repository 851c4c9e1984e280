import type { Actor } from "~/core/actor";
import { namesOfMembers } from "~/features/members/member.service.server";
import { listWorkflowNames } from "~/features/workflows/workflows.service.server";
import { type People, STRANGER } from "./actor-name.shared";

/** Names of those who can be an entry's author, for `actorName`. */
export function namesOfActors(actor: Actor): People {
  const workflows = listWorkflowNames(actor).map(({ id, name }) => [`workflow:${id}`, name]);
  return { ...Object.fromEntries(workflows), ...namesOfMembers(actor) };
}

/** Authors whose name has a word that was searched for. */
export function findActors(actor: Actor): { id: string; name: string }[] {
  const names = Object.entries(namesOfActors(actor)).map(([id, name]) => ({
    id,
    name: id.startsWith("workflow:") ? `Workflow ${name}` : name,
  }));
  return [...names, { id: "system", name: "System" }, { id: STRANGER, name: "Someone" }];
}
