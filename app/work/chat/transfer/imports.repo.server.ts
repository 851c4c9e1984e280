import { and, desc, eq, gt, or } from "drizzle-orm";
import { type Db, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { conversationImports, importedConversations } from "~db/schema";

export type ImportRow = typeof conversationImports.$inferSelect;

export const insertImport = preparedInsert(conversationImports);
export const updateImport = preparedUpdate(conversationImports, "id");
export const findImport = preparedFind(conversationImports, "userId", "id");
export const findImportById = preparedFind(conversationImports, "id");
export const insertImported = preparedInsert(importedConversations);
export const findImported = preparedFind(importedConversations, "userId", "source");

export const listImportRows = (tx: Db, userId: string, limit: number): ImportRow[] =>
  tx
    .select()
    .from(conversationImports)
    .where(eq(conversationImports.userId, userId))
    .orderBy(desc(conversationImports.createdAt), desc(conversationImports.id))
    .limit(limit)
    .all();

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

export const listRunning = (tx: Db): ImportRow[] =>
  tx.select().from(conversationImports).where(eq(conversationImports.state, "running")).all();
