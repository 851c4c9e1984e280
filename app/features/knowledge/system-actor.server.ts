import type { Actor } from "~/core/actor";

/** The console itself, for work that nobody waits for. */
export const systemActor = (orgId: string): Actor => ({
  kind: "system",
  userId: "system",
  orgId,
  role: "owner",
});
