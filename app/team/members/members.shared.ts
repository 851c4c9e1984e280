import { ROLES, type Role } from "~/core/actor";
import { textMatcher } from "~/core/language/find-words.shared";

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

interface Named {
  firstName: string | null;
  lastName: string | null;
  email: string;
}

interface Listed extends Named {
  role: Role;
  lastSeenAt: string | null;
}

const ORDERS = {
  name: () => 0,
  role: (a: Listed, b: Listed) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role),
  seen: (a: Listed, b: Listed) => (b.lastSeenAt ?? "").localeCompare(a.lastSeenAt ?? ""),
};

/** Matches every word in name or address; sorted, then by name. */
export function arrangeMembers<M extends Listed>(
  members: readonly M[],
  { q, sort }: { q: string; sort: keyof typeof ORDERS },
): M[] {
  const matches = textMatcher(q);
  return members
    .filter((member) => matches(`${memberName(member)} ${member.email}`))
    .sort((a, b) => ORDERS[sort](a, b) || memberName(a).localeCompare(memberName(b), "en-US"));
}

export function memberName(member: Named): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}
