/** Least first. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** What a token checks beyond its organization's guardrails. */
export interface TokenGuardrails {
  maskPii: boolean;
  /** One phrase a line. */
  blocked: string;
  moderate: boolean;
}

interface GatewayLimits {
  models: readonly string[] | null;
  requestsPerMinute: number | null;
  guardrails?: TokenGuardrails | null | undefined;
}

export interface Actor {
  kind: "user" | "token" | "workflow" | "system";
  userId: string;
  orgId: string;
  role: Role;
  scopes?: readonly string[];
  tokenId?: string;
  gateway?: GatewayLimits;
  sessionId?: string;
  requestId?: string;
  address?: string;
  jobId?: string;
}

export const ROLE_LABELS: Record<Role, string> = {
  viewer: "Viewer",
  member: "Member",
  admin: "Admin",
  owner: "Owner",
};
