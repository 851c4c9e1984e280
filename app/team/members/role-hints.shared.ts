import type { Role } from "~/core/actor";

export const ROLE_HINTS: Record<Role, string> = {
  viewer: "can view and search",
  member: "can chat and edit",
  admin: "can manage settings",
  owner: "full access",
};
