import { and, desc, eq, lt, lte, max, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { documentParts, documentTexts } from "~db/schema";

export type TextRow = typeof documentTexts.$inferSelect;

export function findTextRowByOffset(tx: Db, versionId: string, offset: number): TextRow | undefined {
  return tx
    .select()
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), lte(documentTexts.start, offset)))
    .orderBy(desc(documentTexts.position))
    .limit(1)
    .get();
}

export function findTextRowByPosition(
  tx: Db,
  versionId: string,
  position: number,
): { start: number } | undefined {
  return tx
    .select({ start: documentTexts.start })
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, position)))
    .get();
}

export function findPart(tx: Db, versionId: string, position: number): Buffer | undefined {
  return tx
    .select({ bytes: documentParts.bytes })
    .from(documentParts)
    .where(and(eq(documentParts.versionId, versionId), eq(documentParts.position, position)))
    .get()?.bytes;
}

export const insertPart = preparedInsert(documentParts);
export const insertText = preparedInsert(documentTexts);

const deleteParts = prepared((db) =>
  db
    .delete(documentParts)
    .where(
      and(
        eq(documentParts.versionId, sql.placeholder("versionId")),
        lt(documentParts.position, sql.placeholder("end")),
      ),
    )
    .prepare(),
);

export function deletePartsBefore(tx: Db, versionId: string, end: number): void {
  deleteParts(tx).run({ versionId, end });
}

export function countParts(tx: Db, versionId: string): number {
  const last = tx
    .select({ last: max(documentParts.position) })
    .from(documentParts)
    .where(eq(documentParts.versionId, versionId))
    .get()?.last;
  return last === null || last === undefined ? 0 : last + 1;
}

export function countTexts(tx: Db, versionId: string): number {
  const last = tx
    .select({ last: max(documentTexts.position) })
    .from(documentTexts)
    .where(eq(documentTexts.versionId, versionId))
    .get()?.last;
  return last === null || last === undefined ? 0 : last + 1;
}

export function deleteText(tx: Db, versionId: string, position: number): void {
  tx.delete(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, position)))
    .run();
}

export function firstText(tx: Db, versionId: string): string {
  return (
    tx
      .select({ text: documentTexts.text })
      .from(documentTexts)
      .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, 0)))
      .get()?.text ?? ""
  );
}
