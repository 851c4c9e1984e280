import { and, desc, eq, lt, ne, or, sql } from "drizzle-orm";
import {
  type Db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { sessions, users } from "~db/schema";

type SessionRow = typeof sessions.$inferSelect;

export const insertSession = preparedInsert(sessions);
export const readSessionRow = preparedFind(sessions, "id");
export const updateSession = preparedUpdate(sessions, "id");
export const deleteSessionBySecret = preparedDelete(sessions, "secretHash");

const bySecret = prepared((tx) =>
  tx
    .select({
      id: sessions.id,
      userId: sessions.userId,
      lastSeenAt: sessions.lastSeenAt,
      expiresAt: sessions.expiresAt,
      idToken: sessions.idToken,
      orgId: users.orgId,
      role: users.role,
      status: users.status,
      isTwoFactor: sessions.isTwoFactor,
      hasPassword: sql<boolean>`${users.passwordHash} is not null`.mapWith(Boolean),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.secretHash, sql.placeholder("secretHash")))
    .prepare(),
);

export const findSession = (tx: Db, secretHash: string) => bySecret(tx).get({ secretHash });

export function deleteSession(tx: Db, userId: string, id: string): boolean {
  const own = and(eq(sessions.userId, userId), eq(sessions.id, id));
  return tx.delete(sessions).where(own).run().changes > 0;
}

/** @param keptId a session to keep. @returns the ids of the ended sessions */
export function deleteSessionsOf(tx: Db, userId: string, keptId?: string): string[] {
  return tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), keptId ? ne(sessions.id, keptId) : undefined))
    .returning({ id: sessions.id })
    .all()
    .map(({ id }) => id);
}

export function listSessionsOf(tx: Db, userId: string): SessionRow[] {
  return tx
    .select()
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
    .all();
}

export function deleteStaleSessions(tx: Db, before: { expiresAt: number; lastSeenAt: number }): number {
  return tx
    .delete(sessions)
    .where(or(lt(sessions.expiresAt, before.expiresAt), lt(sessions.lastSeenAt, before.lastSeenAt)))
    .run().changes;
}
