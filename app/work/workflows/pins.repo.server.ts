import { and, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { workflowPins } from "~db/schema";

// Outputs that stand for their steps in tries, never in real runs.

export type PinRow = typeof workflowPins.$inferSelect;

export const listPins = (tx: Db, workflowId: string): PinRow[] =>
  tx.select().from(workflowPins).where(eq(workflowPins.workflowId, workflowId)).all();

/** Replaces the step's earlier pin. */
export function putPin(tx: Db, row: PinRow): void {
  const { workflowId, stepId } = workflowPins;
  tx.insert(workflowPins)
    .values(row)
    .onConflictDoUpdate({ target: [workflowId, stepId], set: row })
    .run();
}

/** @returns whether there was one */
export function deletePin(tx: Db, workflowId: string, stepId: string): boolean {
  const own = and(eq(workflowPins.workflowId, workflowId), eq(workflowPins.stepId, stepId));
  return tx.delete(workflowPins).where(own).run().changes > 0;
}
