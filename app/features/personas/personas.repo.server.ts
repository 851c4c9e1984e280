import { type AnyColumn, and, count, desc, eq, lt, or, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { personas } from "~db/schema";

export type PersonaRow = typeof personas.$inferSelect;

/** The sort key after which a page begins. */
interface Place {
  createdAt: number;
  id: string;
}

export function insertPersona(tx: Db, row: PersonaRow): void {
  tx.insert(personas).values(row).run();
}

/**
 * Newest first; `limit` of -1 is all of them.
 *
 * @param find part of the name or the system prompt, whatever its case; empty for every persona
 */
export function listPersonaRows(
  tx: Db,
  orgId: string,
  limit: number,
  after?: Place,
  find = "",
): PersonaRow[] {
  const holds = (column: AnyColumn) => sql`instr(lower(${column}), lower(${find})) > 0`;
  return tx
    .select()
    .from(personas)
    .where(
      and(
        eq(personas.orgId, orgId),
        find ? or(holds(personas.name), holds(personas.systemPrompt)) : undefined,
        after
          ? or(
              lt(personas.createdAt, after.createdAt),
              and(eq(personas.createdAt, after.createdAt), lt(personas.id, after.id)),
            )
          : undefined,
      ),
    )
    .orderBy(desc(personas.createdAt), desc(personas.id))
    .limit(limit)
    .all();
}

export function countPersonaRows(tx: Db, orgId: string): number {
  return tx.select({ n: count() }).from(personas).where(eq(personas.orgId, orgId)).get()?.n ?? 0;
}

export function findPersonaRow(tx: Db, orgId: string, id: string): PersonaRow | undefined {
  return tx
    .select()
    .from(personas)
    .where(and(eq(personas.orgId, orgId), eq(personas.id, id)))
    .get();
}

export function findPersonaRowByName(tx: Db, orgId: string, name: string): PersonaRow | undefined {
  return tx
    .select()
    .from(personas)
    .where(and(eq(personas.orgId, orgId), eq(personas.name, name)))
    .get();
}

export function updatePersonaRow(tx: Db, row: Pick<PersonaRow, "id" | "orgId"> & Partial<PersonaRow>): void {
  const { id, orgId, ...change } = row;
  tx.update(personas)
    .set(change)
    .where(and(eq(personas.orgId, orgId), eq(personas.id, id)))
    .run();
}

export function deletePersonaRow(tx: Db, orgId: string, id: string): void {
  tx.delete(personas)
    .where(and(eq(personas.orgId, orgId), eq(personas.id, id)))
    .run();
}

const createdBy = (orgId: string, userId: string) =>
  and(eq(personas.orgId, orgId), eq(personas.createdBy, userId));

export function countPersonasOf(tx: Db, orgId: string, userId: string): number {
  return tx.select({ n: count() }).from(personas).where(createdBy(orgId, userId)).get()?.n ?? 0;
}

/** @returns how many */
export function changePersonaCreator(tx: Db, orgId: string, userId: string, recipient: string): number {
  return tx.update(personas).set({ createdBy: recipient }).where(createdBy(orgId, userId)).run().changes;
}

/** @returns how many */
export function deletePersonasOf(tx: Db, orgId: string, userId: string): number {
  return tx.delete(personas).where(createdBy(orgId, userId)).run().changes;
}
