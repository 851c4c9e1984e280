import { ROLES } from "~/core/actor";
import { type Permission, permissions } from "~/platform/catalogue/permissions";

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].minRole);

/** Permissions by name, lowest role first. */
export const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));
