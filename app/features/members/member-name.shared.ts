import type { Member } from "./members.schema";

/** What a member is called: the name, or the address where none is given. */
export function memberName(member: Pick<Member, "firstName" | "lastName" | "email">): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}
