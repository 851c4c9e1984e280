import type { Member } from "./members.schema";

/** The full name, else the email address. */
export function memberName(member: Pick<Member, "firstName" | "lastName" | "email">): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}
