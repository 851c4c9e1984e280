import { ROLES } from "~/core/actor";
import type { Member, MembersQuery } from "./members.schema";

const ORDERS: Record<MembersQuery["sort"], (a: Member, b: Member) => number> = {
  name: () => 0,
  role: (a, b) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role),
  seen: (a, b) => (b.lastSeenAt ?? "").localeCompare(a.lastSeenAt ?? ""),
};

/** Matches every word in name or address; sorted, then by name. */
export function arrangeMembers(
  members: readonly Member[],
  { q, sort }: Pick<MembersQuery, "q" | "sort">,
): Member[] {
  const words = q.toLocaleLowerCase("en-US").split(/\s+/u).filter(Boolean);
  return members
    .filter((member) => {
      const text = `${memberName(member)} ${member.email}`.toLocaleLowerCase("en-US");
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => ORDERS[sort](a, b) || memberName(a).localeCompare(memberName(b), "en-US"));
}

/** The full name, else the email address. */
export function memberName(member: Pick<Member, "firstName" | "lastName" | "email">): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}
