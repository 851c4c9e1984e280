import { type Actor, atLeast, ROLES, type Role } from "~/core/actor";
import { AppError } from "~/core/errors";

/**
 * The one authorisation table: what may be done, and the least role that may. Screens, the API and tokens' scopes all
 * read it here.
 */
const PERMISSIONS = {
  "screens.read": "viewer",
  "profile.write": "viewer",
  "preferences.write": "viewer",
  "tokens.manage": "viewer",
  "audit.own": "viewer",
  "documents.search": "viewer",
  "chat.use": "member",
  "gateway.use": "member",
  "personas.write": "member",
  "documents.write": "member",
  "workflows.write": "member",
  "providers.manage": "admin",
  "keys.manage": "admin",
  "members.manage": "admin",
  "settings.manage": "admin",
  "plugins.manage": "admin",
  "audit.all": "admin",
  "owners.manage": "owner",
  "egress.manage": "owner",
  "keys.origin": "owner",
  "backup.manage": "owner",
  "safeguards.disable": "owner",
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof PERMISSIONS;

/** What an API token can be limited to. A token's scopes are permissions by name. */
export const SCOPES = Object.keys(PERMISSIONS) as Permission[];

/** Whether an actor may; screens use it to leave out or disable a control. */
export function may(actor: Pick<Actor, "role" | "scopes">, permission: Permission): boolean {
  if (!atLeast(actor.role, PERMISSIONS[permission])) return false;
  return actor.scopes === undefined || actor.scopes.includes(permission);
}

/** How many roles there are, for what the landing page claims. */
export const countRoles = () => ROLES.length;

/** Sentence that tells a person why a control is not theirs to use. */
export function refusal(permission: Permission): string {
  const least = PERMISSIONS[permission];
  const roles = ROLES.slice(ROLES.indexOf(least));
  return roles.length === 1
    ? `Only an ${least} may do this.`
    : `This needs the role ${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}.`;
}

/** @throws AppError `forbidden` when the actor may not */
export function authorise(actor: Actor, permission: Permission): void {
  if (may(actor, permission)) return;
  if (actor.scopes && !actor.scopes.includes(permission)) {
    throw new AppError("forbidden", `This API token lacks the scope "${permission}".`);
  }
  throw new AppError("forbidden", refusal(permission));
}
