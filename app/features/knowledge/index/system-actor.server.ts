import type { Actor } from "~/core/actor";

/** The console itself, for background work. */
export const systemActor = (orgId: string): Actor => ({
  kind: "system",
  userId: "system",
  orgId,
  role: "owner",
});
