import { type Permission, permissions } from "../index.schema";
import { ROLES } from "./role-names.schema";

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].least);

/** Permissions by name, least role first. */
export const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));
