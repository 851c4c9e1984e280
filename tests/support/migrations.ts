import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Copies the migrations before one. @returns their folder */
export function migrationsBefore(name: string, folder: string): string {
  const target = join(folder, "earlier");
  cpSync("db/migrations", target, { recursive: true });
  const path = join(target, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8")) as { entries: { tag: string }[] };
  const end = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  if (end < 1) throw new Error(`There is no migration ${name} behind another one.`);
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  return target;
}
