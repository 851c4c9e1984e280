import { type Permission, permissions } from "../index.schema";
import { ROLES } from "./role-names.schema";

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].least);

/** What an API token can be limited to: the permissions by name, from those of the least role up. */
export const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));
