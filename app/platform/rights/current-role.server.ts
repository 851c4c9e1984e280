import type { Actor, Role } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { atLeast } from "./authorization.server";
import { findRole } from "./current-role.repo.server";

/** Undefined unless active. */
export function roleOf(tx: Db, orgId: string, userId: string): Role | undefined {
  const row = findRole(tx, orgId, userId);
  return row?.status === "active" ? row.role : undefined;
}

/** The actor with their current role, for long-running work. @throws AppError `forbidden` unless still active */
export function asOfNow(tx: Db, actor: Actor): Actor {
  if (actor.kind === "system") return actor;
  const role = roleOf(tx, actor.orgId, actor.userId);
  if (!role) throw new AppError("forbidden", "Your access has ended. Ask an admin to restore it.");
  return { ...actor, role: atLeast(role, actor.role) ? actor.role : role };
}
