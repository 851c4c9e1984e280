/** The organisation's roles, from the least to the most powerful. Without zod, for screens that only compare them. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
