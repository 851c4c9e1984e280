import { join } from "node:path";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { ProcessPool } from "~/core/process-pool.server";
import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker } from "~/core/worker-pool.server";
import type { Json } from "../steps/step-type";
import { refuseStatement } from "./statement-kind";
import { WorkspaceResult, type WorkspaceTask } from "./workspace-task";

/** A statement may read and write at the same time in this many processes. */
const PROCESSES = 2;
const MEMORY_MB = 384;
/** The longest that a step may take; its own limit ends it earlier. */
const LONGEST = 3_600_000;
/** Of the workspace database's file, in bytes. */
const FILE_LIMIT = 1_000_000_000;
/** Of a result's JSON, in characters. */
const RESULT_LIMIT = 5_000_000;

/** A running statement can't be stopped in a thread, so it runs in a process that can be killed. */
const pool = new ProcessPool<WorkspaceTask, WorkspaceResult>({
  name: "workspace",
  entry: bundledWorker("workspace"),
  output: WorkspaceResult,
  size: PROCESSES,
  timeoutMs: LONGEST,
  memoryMb: () => MEMORY_MB,
  tooLarge: "The statement needs too much memory. Select fewer rows or columns.",
});

export interface DatabaseQuery {
  sql: string;
  parameters: Json[];
  write: boolean;
  maxRows: number;
}

/** As SQL knows it: booleans are 0 and 1, lists and maps are JSON. */
export function toParameter(value: Json): string | number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** The organization's own database, a file beside the console's. */
export const workspaceFile = () => join(dataDir(), "workspace.db");

/**
 * Runs one statement on the workspace database.
 *
 * @throws AppError `invalid` for a statement that isn't allowed or fails, `too_large`, `unavailable`; the signal's
 *   reason, after which the statement runs no longer
 */
export async function queryWorkspace(
  { sql, parameters, write, maxRows }: DatabaseQuery,
  signal: AbortSignal,
  maxFileBytes = FILE_LIMIT,
): Promise<Json> {
  const refused = refuseStatement(sql, write);
  if (refused) throw new AppError("invalid", refused);
  const limits = { maxRows, maxLength: RESULT_LIMIT, maxFileBytes };
  const task = { file: workspaceFile(), sql, parameters: parameters.map(toParameter), write, ...limits };
  const { rows, rowCount, truncated } = await pool.run(task, signal);
  return { rows: parseWellFormed(rows) as Json, rowCount, truncated };
}
