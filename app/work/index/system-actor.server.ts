import type { Actor } from "~/core/actor";

export const systemActor = (orgId: string): Actor => ({
  kind: "system",
  userId: "system",
  orgId,
  role: "owner",
});
