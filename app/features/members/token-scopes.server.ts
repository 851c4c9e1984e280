import { type Permission, permissions } from "../index.schema";
import { ROLES } from "./role-names.schema";

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].minRole);

/** Permissions by name, lowest role first. */
export const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));
