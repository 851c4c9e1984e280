import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { kept } from "~/core/process.server";
import type { People } from "~/platform/audit/actor-name.shared";
import { may, type Permission } from "~/platform/rights/authorization.server";
import * as users from "./user.repo.server";

const displayName = ({
  firstName,
  lastName,
  email,
}: Pick<users.UserRow, "firstName" | "lastName" | "email">) =>
  [firstName, lastName].filter(Boolean).join(" ") || email.split("@")[0] || "User";

/** Also for removed members; "Removed member" for an unknown id. */
export function nameOf(orgId: string, userId: string): string {
  const row = users.findUser(db(), orgId, userId);
  return row ? displayName(row) : "Removed member";
}

/** Names that every member may see. @param permission leaves those out who lack it */
export function listColleagues(actor: Actor, permission?: Permission): { id: string; name: string }[] {
  return users
    .listMemberRows(db(), actor.orgId)
    .filter(({ role }) => permission === undefined || may({ role }, permission))
    .map((row) => ({ id: row.id, name: displayName(row) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en-US"));
}

function namesOfMembers(actor: Actor): Record<string, string> {
  return Object.fromEntries(listColleagues(actor).map(({ id, name }) => [id, name]));
}

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
