import type { Role } from "~/core/actor";

export const ROLE_LABELS: Record<Role, string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
