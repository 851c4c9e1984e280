import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { ATTACHMENTS, DATABASE, RUNS } from "./archive-names";

/** Files in folders of the data folder that rows of the database name and that aren't there. */
export interface MissingFiles {
  attachments: number;
  outputs: number;
}

const ATTACHMENTS_NAMED = `SELECT sha AS file FROM attachments
  UNION SELECT text_sha FROM attachments WHERE text_sha IS NOT NULL`;
/** As text, since parsing every output as JSON takes longer. */
const OUTPUTS_NAMED = `SELECT run_id || '/' || json_extract(output, '$."$file"') AS file
  FROM workflow_run_steps WHERE output LIKE '{"$file":"%'`;

/** What the second place has comes back by itself. */
const isCopied = (folder: string) =>
  `EXISTS (SELECT 1 FROM stored_files WHERE path = '${folder}/' || file AND state IN ('copied', 'sending'))`;

/**
 * Counts missing files beside a running console.
 * @param hasCopies whether there is a second place of files, whose copies aren't missing
 */
export function countMissingFiles(dataDir: string, hasCopies: boolean): MissingFiles {
  const raw = new Database(join(dataDir, DATABASE), { fileMustExist: true, timeout: 5000 });
  raw.pragma("query_only = ON");
  const count = (folder: string, query: string): number => {
    const lacks = hasCopies ? ` WHERE NOT ${isCopied(folder)}` : "";
    const named = raw.prepare<[], string>(`SELECT file FROM (${query})${lacks}`).pluck();
    const missing = new Set(named.all().filter((file) => !existsSync(join(dataDir, folder, file))));
    // Files of rows that were deleted meanwhile aren't missing.
    return missing.size === 0 ? 0 : named.all().filter((file) => missing.has(file)).length;
  };
  try {
    return { attachments: count(ATTACHMENTS, ATTACHMENTS_NAMED), outputs: count(RUNS, OUTPUTS_NAMED) };
  } finally {
    raw.close();
  }
}
