/** The organization's roles, from the least to the most powerful. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** What an API token may ask of the gateway; null is no limit of its own. */
interface GatewayLimits {
  /** Ids of the models it may call. */
  models: readonly string[] | null;
  /** Calls started in a minute, at most as many at once. */
  requestsPerMinute: number | null;
}

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
  /** Set for API tokens: what their calls through the gateway are limited to. */
  gateway?: GatewayLimits;
  sessionId?: string;
  /** The request that caused it, for the audit trail. */
  requestId?: string;
  /** The network address that request came from. */
  address?: string;
  /** The background job that acts in their place. */
  jobId?: string;
}

export function atLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
