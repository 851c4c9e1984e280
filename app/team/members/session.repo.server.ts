import { and, desc, eq, lt, ne, or, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { sessions, users } from "~db/schema";

export type SessionRow = typeof sessions.$inferSelect;

export function insertSession(tx: Db, row: SessionRow): void {
  tx.insert(sessions).values(row).run();
}

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
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.secretHash, sql.placeholder("secretHash")))
    .prepare(),
);

export function findSession(tx: Db, secretHash: string) {
  return bySecret(tx).get({ secretHash });
}

export function touchSession(tx: Db, id: string, lastSeenAt: number): void {
  tx.update(sessions).set({ lastSeenAt }).where(eq(sessions.id, id)).run();
}

export function deleteSessionBySecret(tx: Db, secretHash: string): void {
  tx.delete(sessions).where(eq(sessions.secretHash, secretHash)).run();
}

export function deleteSession(tx: Db, userId: string, id: string): boolean {
  return (
    tx
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
      .run().changes > 0
  );
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

export function setModel(tx: Db, id: string, model: string | null): void {
  tx.update(sessions).set({ model }).where(eq(sessions.id, id)).run();
}

export function getModel(tx: Db, id: string): string | null | undefined {
  return tx.select({ model: sessions.model }).from(sessions).where(eq(sessions.id, id)).get()?.model;
}
