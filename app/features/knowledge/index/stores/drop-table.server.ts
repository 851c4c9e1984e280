import { transaction } from "~/core/db.server";
import { yieldToEventLoop } from "~/core/event-loop.server";
import { dropTable, hasTable, thinOut } from "./derived-tables.repo.server";

/**
 * Drops a virtual table after emptying its shadow tables in batches, since dropping visits every page.
 * @param own the endings of its own tables that hold much, each with how many of its rows go at once
 */
export async function dropSliced(table: string, own: Record<string, number>): Promise<void> {
  for (const [ending, rows] of Object.entries(own)) {
    const name = table + ending;
    if (!hasTable(name)) continue;
    let more = true;
    while (more) {
      more = transaction(() => thinOut(name, rows) === rows, { durable: false });
      await yieldToEventLoop();
    }
  }
  if (hasTable(table)) transaction(() => dropTable(table));
}
