/** The organisation's roles, from the least to the most powerful. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Who does something. Every service function takes one first. */
export interface Actor {
  kind: "user" | "token" | "workflow" | "system";
  /** The acting person, or `system`. */
  userId: string;
  orgId: string;
  role: Role;
  /** Set for API tokens: the actions' scopes it was limited to. */
  scopes?: readonly string[];
  tokenId?: string;
  sessionId?: string;
  /** The request that caused it, for the audit trail. */
  requestId?: string;
}

export function atLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
