/** Least first. Without zod, for screens that only compare roles. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;

export const ROLE_LABELS: Record<(typeof ROLES)[number], string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
