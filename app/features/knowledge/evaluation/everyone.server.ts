import type { Actor } from "~/core/actor";
import { systemActor } from "../index/system-actor.server";

/** An actor limited to documents that everyone can view, as all checks are. */
export const everyone = (orgId: string): Actor => ({ ...systemActor(orgId), role: "viewer" });
