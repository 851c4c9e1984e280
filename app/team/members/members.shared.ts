import type { Role } from "~/core/actor";

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;

export const ROLE_HINTS: Record<Role, string> = {
  viewer: "can view and search",
  member: "can chat and edit",
  admin: "can manage settings",
  owner: "full access",
};

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
