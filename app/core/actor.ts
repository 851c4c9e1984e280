/** In ascending order of permissions. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** An API token's limits at the gateway; null for none. */
interface GatewayLimits {
  /** Model ids. */
  models: readonly string[] | null;
  requestsPerMinute: number | null;
}

/** First argument of every service function. */
export interface Actor {
  kind: "user" | "token" | "workflow" | "system";
  /** A user's id, or `system`. */
  userId: string;
  orgId: string;
  role: Role;
  /** Scopes of an API token. */
  scopes?: readonly string[];
  tokenId?: string;
  gateway?: GatewayLimits;
  sessionId?: string;
  /** For the audit trail. */
  requestId?: string;
  /** Network address of the request. */
  address?: string;
  /** Background job that acts for the user. */
  jobId?: string;
}

export function atLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
