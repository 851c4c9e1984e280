import { z } from "zod";
import { ROLES } from "./role-names.schema";

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** A role as people read it. */
export const ROLE_LABELS: Record<Role, string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
