import { type Permission, permissions } from "../index.schema";
import { ROLES } from "./role-names.schema";

/** How long a token may last, in days. */
export const TOKEN_DAYS_MAX = 365;

/** How many models a token can be limited to by name. */
export const TOKEN_MODELS_MAX = 100;

/** The highest limit on calls that a token can have of its own. */
export const TOKEN_RATE_MAX = 100_000;

const rank = (scope: Permission) => ROLES.indexOf(permissions[scope].least);

/** What an API token can be limited to: the permissions by name, from those of the least role up. */
export const SCOPES = (Object.keys(permissions) as Permission[]).sort((a, b) => rank(a) - rank(b));

/** The label of a scope; its name where a stored token has one that no longer exists. */
export const scopeLabel = (scope: string): string =>
  Object.hasOwn(permissions, scope) ? permissions[scope as Permission].scope : scope;
