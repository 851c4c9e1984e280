import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataDir, env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import type { Json } from "../steps/step-type";
import { refuseStatement } from "./statement-kind";
import { makeWorkspace } from "./workspace.repo.server";
import { WorkspaceResult, type WorkspaceTask } from "./workspace-task";

/** Concurrent statements. */
const PROCESSES = 2;
const MEMORY_MB = 384;
/** Backstop; the step's limit is lower. */
const MAX_DURATION = 3_600_000;
/** File size in bytes. */
const FILE_LIMIT = 1_000_000_000;
/** In characters of JSON. */
const RESULT_LIMIT = 5_000_000;

/** Threads can't stop a statement; a process can be killed. */
const pool = new ProcessPool<WorkspaceTask, WorkspaceResult>({
  name: "workspace",
  entry: bundledWorker("workspace"),
  output: WorkspaceResult,
  size: PROCESSES,
  timeoutMs: MAX_DURATION,
  memoryMb: () => MEMORY_MB,
  tooLarge: "The statement needs too much memory. Select fewer rows or columns.",
});

export interface DatabaseQuery {
  sql: string;
  parameters: Json[];
  write: boolean;
  maxRows: number;
}

/** Booleans are 0 and 1, lists and maps JSON. */
export function toParameter(value: Json): string | number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

export const workspaceFile = () => join(dataDir(), "workspace.db");

/**
 * Makes the file where Litestream replicates it. Litestream asks its target for a file that is missing before it starts
 * the console, which a target that is away would then keep from starting.
 */
export function prepareWorkspace(): void {
  if (!env().LITESTREAM_URL || existsSync(workspaceFile())) return;
  try {
    makeWorkspace(workspaceFile());
  } catch (error) {
    log.warn("the workspace database could not be made", { error });
  }
}

/**
 * @throws AppError `invalid` for a forbidden or failed statement, `too_large`, `unavailable`; the signal's reason once
 * the statement has stopped
 */
export async function queryWorkspace(
  { sql, parameters, write, maxRows }: DatabaseQuery,
  signal: AbortSignal,
  maxFileBytes = FILE_LIMIT,
): Promise<Json> {
  // The process checks too; here it doesn't wait for a free one.
  const refused = refuseStatement(sql, write);
  if (refused) throw new AppError("invalid", refused);
  const limits = { maxRows, maxLength: RESULT_LIMIT, maxFileBytes };
  const task = { file: workspaceFile(), sql, parameters: parameters.map(toParameter), write, ...limits };
  const { rows, rowCount, truncated } = await pool.run(task, signal);
  return { rows: parseWellFormed(rows) as Json, rowCount, truncated };
}
