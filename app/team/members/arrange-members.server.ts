import { ROLES, type Role } from "~/core/actor";
import { searchMatcher } from "~/core/language/find-terms";
import { memberName, type Named } from "./members.shared";

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
  const matches = searchMatcher(q);
  return members
    .filter((member) => matches(`${memberName(member)} ${member.email}`))
    .sort((a, b) => ORDERS[sort](a, b) || memberName(a).localeCompare(memberName(b), "en-US"));
}
