/** The organisation's roles, from the least to the most powerful. Without zod, for screens that only compare them. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;

export const ROLE_LABELS: Record<(typeof ROLES)[number], string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
