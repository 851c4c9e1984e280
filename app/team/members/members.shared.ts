import type { Role } from "~/core/actor";
import type { Permission } from "~/platform/catalogue/permissions";

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;

export const ROLE_HINTS: Record<Role, string> = {
  viewer: "can view and search",
  member: "can chat and edit",
  admin: "can manage settings",
  owner: "full access",
};

/** What most tokens are for; any other has its permissions ticked one by one. */
export const TOKEN_PRESETS = {
  gateway: { label: "Gateway", hint: "Calls models at /v1", scopes: ["gateway.use"] },
  read: {
    label: "Read only",
    hint: "Reads the screens' data, searches documents",
    scopes: ["screens.read", "documents.search", "usage.own", "audit.own"],
  },
} as const satisfies Record<string, { label: string; hint: string; scopes: readonly Permission[] }>;

export const TOKEN_DAYS_MAX = 365;
export const TOKEN_MODELS_MAX = 100;
export const TOKEN_RATE_MAX = 100_000;

export interface Named {
  firstName: string | null;
  lastName: string | null;
  email: string;
}

export function memberName(member: Named): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}

export const linkTitle = (member: Named & { status: string }): string =>
  `${member.status === "invited" ? "New Link for" : "Reset Password of"} ${memberName(member)}`;
