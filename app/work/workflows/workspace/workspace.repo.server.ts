import Database from "better-sqlite3";

/** An empty workspace database. */
export function makeWorkspace(file: string): void {
  const database = new Database(file);
  // Before it an empty database has no file.
  database.pragma("journal_mode = WAL");
  database.close();
}
