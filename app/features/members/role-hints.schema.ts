import type { Role } from "./roles.schema";

/** What a person reads of each role. */
export const ROLE_HINTS: Record<Role, string> = {
  viewer: "can view and search",
  member: "can chat and edit",
  admin: "can manage settings",
  owner: "full access",
};
