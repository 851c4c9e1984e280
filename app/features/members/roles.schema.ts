import { z } from "zod";

/** The organization's roles, from the least to the most powerful. */
export const Role = z.enum(["viewer", "member", "admin", "owner"]);
export type Role = z.infer<typeof Role>;

/** A role as people read it. */
export const ROLE_LABELS: Record<Role, string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
