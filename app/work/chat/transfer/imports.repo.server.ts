import { and, desc, eq, gt, or } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { conversationImports, importedConversations } from "~db/schema";

export type ImportRow = typeof conversationImports.$inferSelect;

export function insertImport(tx: Db, row: ImportRow): void {
  tx.insert(conversationImports).values(row).run();
}

export function updateImport(tx: Db, id: string, change: Partial<ImportRow>): void {
  tx.update(conversationImports).set(change).where(eq(conversationImports.id, id)).run();
}

export const listImportRows = (tx: Db, userId: string, limit: number): ImportRow[] =>
  tx
    .select()
    .from(conversationImports)
    .where(eq(conversationImports.userId, userId))
    .orderBy(desc(conversationImports.createdAt), desc(conversationImports.id))
    .limit(limit)
    .all();

export const findImport = (tx: Db, userId: string, id: string): ImportRow | undefined =>
  tx
    .select()
    .from(conversationImports)
    .where(and(eq(conversationImports.userId, userId), eq(conversationImports.id, id)))
    .get();

/** The user's import of a file that runs, or ended after a time. */
export const findSameImport = (
  tx: Db,
  { userId, digest }: Pick<ImportRow, "userId" | "digest">,
  endedAfter: number,
): ImportRow | undefined =>
  tx
    .select()
    .from(conversationImports)
    .where(
      and(
        eq(conversationImports.userId, userId),
        eq(conversationImports.digest, digest ?? ""),
        or(
          eq(conversationImports.state, "running"),
          and(eq(conversationImports.state, "done"), gt(conversationImports.finishedAt, endedAfter)),
        ),
      ),
    )
    .orderBy(desc(conversationImports.createdAt))
    .get();

export const findImportById = (tx: Db, id: string): ImportRow | undefined =>
  tx.select().from(conversationImports).where(eq(conversationImports.id, id)).get();

export const listRunning = (tx: Db): ImportRow[] =>
  tx.select().from(conversationImports).where(eq(conversationImports.state, "running")).all();

type Imported = typeof importedConversations.$inferSelect;

export const findImported = (tx: Db, userId: string, source: string): Imported | undefined =>
  tx
    .select()
    .from(importedConversations)
    .where(and(eq(importedConversations.userId, userId), eq(importedConversations.source, source)))
    .get();

export function insertImported(tx: Db, row: Imported): void {
  tx.insert(importedConversations).values(row).run();
}
