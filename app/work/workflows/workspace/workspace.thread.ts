import { statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { AppError } from "~/core/errors";
import { isDiskFull } from "~/core/storage-faults.server";
import { refuseStatement, WRITE_ACCESS_HINT } from "./statement-kind";
import type { WorkspaceResult, WorkspaceTask } from "./workspace-task";

const BUSY_TIME = 5000;

function openWorkspace({ file, write, maxFileBytes }: WorkspaceTask): Database.Database {
  // Reading creates the file too.
  const database = new Database(file, { timeout: BUSY_TIME });
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("trusted_schema = OFF");
    database.pragma("foreign_keys = ON");
    const pageSize = Number(database.pragma("page_size", { simple: true }));
    database.pragma(`max_page_count = ${Math.ceil(maxFileBytes / pageSize)}`);
    if (!write) database.pragma("query_only = ON");
    database.defaultSafeIntegers(true);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Integers bind as such: as doubles they would be stored with a fraction. */
const toBound = (value: string | number | null) =>
  typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;

/** For JSON: large integers are text, bytes base64. */
function toJson(value: unknown): string | number | null {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  return typeof value === "string" ? value : null;
}

function readRows(rows: Iterable<unknown>, { maxRows, maxLength, write }: WorkspaceTask): WorkspaceResult {
  const parts: string[] = [];
  let length = 2;
  let truncated = false;
  for (const row of rows) {
    if (parts.length >= maxRows) {
      truncated = true;
      // Changes must finish.
      if (write) continue;
      break;
    }
    const values = Object.entries(row as Record<string, unknown>).map(([name, one]) => [name, toJson(one)]);
    const json = JSON.stringify(Object.fromEntries(values));
    length += json.length + 1;
    if (length > maxLength) {
      const limit = `${maxLength / 1_000_000} MB`;
      throw new AppError("too_large", `The result is larger than ${limit}. Select fewer rows or columns.`);
    }
    parts.push(json);
  }
  return { rows: `[${parts.join(",")}]`, rowCount: parts.length, truncated };
}

/** Also for `$1` and `?1`, which SQLite treats as names. */
function bind(statement: Database.Statement, parameters: WorkspaceTask["parameters"]): void {
  const values = parameters.map(toBound);
  if (values.length === 0) return;
  try {
    statement.bind(...values);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    statement.bind(Object.fromEntries(values.map((value, index) => [String(index + 1), value])));
  }
}

function runStatement(database: Database.Database, task: WorkspaceTask): WorkspaceResult {
  const statement = database.prepare(task.sql);
  bind(statement, task.parameters);
  if (!task.write && !(statement.reader && statement.readonly))
    throw new AppError("invalid", `This statement changes data. ${WRITE_ACCESS_HINT}`);
  if (!statement.reader) {
    const { changes } = statement.run();
    return { rows: "[]", rowCount: changes, truncated: false };
  }
  if (statement.readonly) return readRows(statement.iterate(), { ...task, write: false });
  return database.transaction(() => readRows(statement.iterate(), task))();
}

/** Explains the driver's errors. */
function explain(error: unknown, { file, maxFileBytes }: WorkspaceTask): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (/more than one statement/i.test(error.message))
    return new AppError("invalid", "Write only one statement.", { cause: error });
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return new AppError(
      "unprocessable",
      "The workspace database is damaged. An owner can restore a backup under Settings › System.",
      { cause: error },
    );
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  // Without room for what the limit still allows, it is the disk that refused.
  if (code === "SQLITE_FULL" && isDiskFull(dirname(file), maxFileBytes - size))
    return new AppError("disk_full", "The disk is full.", { cause: error });
  if (code === "SQLITE_FULL") {
    const limit = `${(maxFileBytes / 1e9).toLocaleString("en-US")} GB`;
    return new AppError("too_large", `The workspace database can't grow beyond ${limit}.`, { cause: error });
  }
  if (code.startsWith("SQLITE_BUSY"))
    return new AppError("unavailable", "The workspace database is busy. Try again.", { cause: error });
  if (code === "" && /parameter/i.test(error.message)) {
    const message = "The parameters don't match the statement. Mark each value $1, $2, and so on.";
    return new AppError("invalid", message, { cause: error });
  }
  if (code.startsWith("SQLITE_") || error instanceof TypeError)
    return new AppError("invalid", `SQLite: ${error.message}`, { cause: error });
  return error;
}

/** Runs one statement on a workspace database. */
export function runWorkspaceTask(task: WorkspaceTask): WorkspaceResult {
  const refused = refuseStatement(task.sql, task.write);
  if (refused) throw new AppError("invalid", refused);
  let database: Database.Database | undefined;
  try {
    database = openWorkspace(task);
    return runStatement(database, task);
  } catch (error) {
    throw explain(error, task);
  } finally {
    database?.close();
  }
}
