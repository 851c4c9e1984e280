import { eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { pluginCatalogs } from "~db/schema";

type CatalogRow = typeof pluginCatalogs.$inferSelect;

export function findCatalogRow(tx: Db, url: string): CatalogRow | undefined {
  return tx.select().from(pluginCatalogs).where(eq(pluginCatalogs.url, url)).get();
}

export function saveCatalogRow(tx: Db, row: CatalogRow): void {
  tx.insert(pluginCatalogs).values(row).onConflictDoUpdate({ target: pluginCatalogs.url, set: row }).run();
}
