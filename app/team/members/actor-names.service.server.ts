import type { Actor } from "~/core/actor";
import { kept } from "~/core/process.server";
import type { People } from "~/platform/audit/actor-name.shared";
import { namesOfMembers } from "./member.service.server";

type Names = (actor: Actor) => People;

const sources = () => kept("actor names", () => new Set<Names>());

/** Adds names of actors that aren't members, by id such as `workflow:wfl_1`. @returns a function to remove them */
export function registerActorNames(names: Names): () => void {
  sources().add(names);
  return () => void sources().delete(names);
}

/** Names of those who can be an entry's author, for `actorName`. */
export function namesOfActors(actor: Actor): People {
  return Object.assign({}, ...[...sources()].map((names) => names(actor)), namesOfMembers(actor));
}
