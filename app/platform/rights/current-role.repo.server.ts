import { and, eq, sql } from "drizzle-orm";
import { type Actor, atLeast, type Role } from "~/core/actor";
import { type Db, prepared } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { users } from "~db/schema";

const find = prepared((db) =>
  db
    .select({ role: users.role, status: users.status })
    .from(users)
    .where(and(eq(users.orgId, sql.placeholder("orgId")), eq(users.id, sql.placeholder("id"))))
    .prepare(),
);

export function findRole(tx: Db, orgId: string, id: string) {
  return find(tx).get({ orgId, id });
}

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
