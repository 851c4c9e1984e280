import { yieldToEventLoop } from "~/core/background.server";
import { transaction } from "~/core/db.server";
import { deleteShadowRows, dropTable, hasTable } from "./derived-tables.repo.server";

/**
 * Drops a virtual table after emptying its shadow tables in batches, since dropping visits every page.
 * @param shadowTables suffixes of its large shadow tables, each with the rows to delete per batch
 */
export async function dropTableInBatches(table: string, shadowTables: Record<string, number>): Promise<void> {
  for (const [ending, rows] of Object.entries(shadowTables)) {
    const name = table + ending;
    if (!hasTable(name)) continue;
    let more = true;
    while (more) {
      more = transaction(() => deleteShadowRows(name, rows) === rows, { durable: false });
      await yieldToEventLoop();
    }
  }
  if (hasTable(table)) transaction(() => dropTable(table));
}
