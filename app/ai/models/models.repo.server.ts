import { and, asc, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { providers } from "~db/schema";

export type ProviderRow = typeof providers.$inferSelect;

/** By priority, then by age. */
export function listProviderRows(db: Db, orgId: string): ProviderRow[] {
  return db
    .select()
    .from(providers)
    .where(eq(providers.orgId, orgId))
    .orderBy(asc(providers.priority), asc(providers.createdAt), asc(providers.id))
    .all();
}

export function listProviderOrgs(db: Db): string[] {
  return db
    .selectDistinct({ orgId: providers.orgId })
    .from(providers)
    .all()
    .map(({ orgId }) => orgId);
}

export function findProviderRow(db: Db, orgId: string, id: string): ProviderRow | undefined {
  return db
    .select()
    .from(providers)
    .where(and(eq(providers.orgId, orgId), eq(providers.id, id)))
    .get();
}

export function hasProviderOfType(db: Db, type: string): boolean {
  return db.select({ id: providers.id }).from(providers).where(eq(providers.type, type)).get() !== undefined;
}

export function insertProviderRow(db: Db, row: ProviderRow): void {
  db.insert(providers).values(row).run();
}

export function updateProviderRow(
  db: Db,
  orgId: string,
  id: string,
  change: Partial<Omit<ProviderRow, "id" | "orgId" | "createdAt">>,
): void {
  db.update(providers)
    .set(change)
    .where(and(eq(providers.orgId, orgId), eq(providers.id, id)))
    .run();
}

export function deleteProviderRow(db: Db, orgId: string, id: string): void {
  db.delete(providers)
    .where(and(eq(providers.orgId, orgId), eq(providers.id, id)))
    .run();
}
