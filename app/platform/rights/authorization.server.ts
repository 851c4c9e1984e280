import { type Actor, ROLES, type Role } from "~/core/actor";
import { AppError } from "~/core/errors";
import { type Permission, permissions } from "~/platform/catalogue/permissions";

export type { Permission };

export function atLeast(role: Role, minRole: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minRole);
}

export function may(actor: Pick<Actor, "role" | "scopes">, permission: Permission): boolean {
  if (!atLeast(actor.role, permissions[permission].minRole)) return false;
  return actor.scopes === undefined || actor.scopes.includes(permission);
}

export const countRoles = () => ROLES.length;

/** Explains why a control is disabled: "Only admins and owners can manage members." */
export function refusal(permission: Permission): string {
  const { minRole, refusal: sentence, scope } = permissions[permission];
  if (sentence) return sentence;
  const roles = ROLES.slice(ROLES.indexOf(minRole)).map((role) => `${role}s`);
  const people = new Intl.ListFormat("en-US", { type: "conjunction" })
    .format(roles)
    .replace(", and ", " and ");
  return `Only ${people} can ${scope.charAt(0).toLowerCase()}${scope.slice(1)}.`;
}

export function authorise(actor: Actor, permission: Permission): void {
  if (may(actor, permission)) return;
  if (actor.scopes && !actor.scopes.includes(permission)) {
    throw new AppError("forbidden", `This API token lacks the scope "${permission}".`);
  }
  throw new AppError("forbidden", refusal(permission));
}
