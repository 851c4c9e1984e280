import type { Actor } from "~/core/actor";
import { systemActor } from "../index/system-actor.server";

/** An actor who sees what everyone sees. Questions, searches and figures of a check are limited to that. */
export const everyone = (orgId: string): Actor => ({ ...systemActor(orgId), role: "viewer" });
