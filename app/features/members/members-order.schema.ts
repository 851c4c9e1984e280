import { type Member, type MembersQuery, memberName } from "./members.schema";
import { Role } from "./roles.schema";

const ORDERS: Record<MembersQuery["sort"], (a: Member, b: Member) => number> = {
  name: () => 0,
  role: (a, b) => Role.options.indexOf(b.role) - Role.options.indexOf(a.role),
  seen: (a, b) => (b.lastSeenAt ?? "").localeCompare(a.lastSeenAt ?? ""),
};

/** The members whose name or address holds every word of the search, in the chosen order and then by name. */
export function arrangeMembers(members: readonly Member[], { q, sort }: MembersQuery): Member[] {
  const words = q.toLocaleLowerCase("en-US").split(/\s+/u).filter(Boolean);
  return members
    .filter((member) => {
      const text = `${memberName(member)} ${member.email}`.toLocaleLowerCase("en-US");
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => ORDERS[sort](a, b) || memberName(a).localeCompare(memberName(b), "en-US"));
}
