import { and, count, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { conversations, toolFiles, workflowRuns } from "~db/schema";

export type ResultFileRow = typeof toolFiles.$inferSelect;
export type FileOwner = Pick<ResultFileRow, "conversationId" | "runId">;

const isOf = ({ conversationId, runId }: FileOwner) =>
  conversationId === null ? eq(toolFiles.runId, runId ?? "") : eq(toolFiles.conversationId, conversationId);

/** How many there are, and their bytes together. */
export function measureResultFiles(tx: Db, owner: FileOwner): { files: number; bytes: number } {
  const bytes = sql<number>`coalesce(sum(${toolFiles.size}), 0)`;
  return (
    tx.select({ files: count(), bytes }).from(toolFiles).where(isOf(owner)).get() ?? { files: 0, bytes: 0 }
  );
}

/** Trials have none. */
export function ownerExists(tx: Db, { conversationId, runId }: FileOwner): boolean {
  const row =
    conversationId === null
      ? tx
          .select({ id: workflowRuns.id })
          .from(workflowRuns)
          .where(eq(workflowRuns.id, runId ?? ""))
      : tx.select({ id: conversations.id }).from(conversations).where(eq(conversations.id, conversationId));
  return row.get() !== undefined;
}

export function insertResultFile(tx: Db, row: ResultFileRow): void {
  tx.insert(toolFiles).values(row).run();
}

export function findResultFile(tx: Db, orgId: string, userId: string, id: string): ResultFileRow | undefined {
  return tx
    .select({ file: toolFiles })
    .from(toolFiles)
    .leftJoin(conversations, eq(conversations.id, toolFiles.conversationId))
    .where(
      and(
        eq(toolFiles.id, id),
        eq(toolFiles.orgId, orgId),
        or(
          isNull(toolFiles.conversationId),
          and(eq(conversations.userId, userId), isNull(conversations.deletedAt)),
        ),
      ),
    )
    .get()?.file;
}

/** The newest of a conversation with this name or id. */
export function findNamedFile(tx: Db, conversationId: string, name: string): ResultFileRow | undefined {
  return tx
    .select()
    .from(toolFiles)
    .where(
      and(eq(toolFiles.conversationId, conversationId), or(eq(toolFiles.id, name), eq(toolFiles.name, name))),
    )
    .orderBy(desc(toolFiles.createdAt), desc(toolFiles.id))
    .limit(1)
    .get();
}

/** A file of a run, whoever it ran for. */
export function findRunFile(tx: Db, orgId: string, id: string): ResultFileRow | undefined {
  const isOfRun = and(eq(toolFiles.id, id), eq(toolFiles.orgId, orgId), isNotNull(toolFiles.runId));
  return tx.select().from(toolFiles).where(isOfRun).get();
}
