import Database from "better-sqlite3";
import { parseWellFormed } from "~/core/well-formed";
import { type StoredEntry, toEntry } from "~/platform/audit/chain.server";
import { type ExportBatch, type ExportTask, encodeEntries } from "./encode-entries.server";

const parsed = (text: unknown) =>
  typeof text === "string" ? (parseWellFormed(text) as Record<string, unknown>) : null;

/** A batch of entries as the text of an export, read and encoded in a thread. */
export function exportBatch({ database, sql, params, columns, ...options }: ExportTask): ExportBatch {
  const raw = new Database(database, { readonly: true, fileMustExist: true, timeout: 2000 });
  try {
    const stored = raw
      .prepare<unknown[], unknown[]>(sql)
      .raw()
      .all(...params);
    const rows = stored.map((values) => {
      const row = Object.fromEntries(columns.map((column, at) => [column, values[at]])) as StoredEntry & {
        seq: number;
      };
      const { details, before, after } = row;
      return { ...row, details: parsed(details) ?? {}, before: parsed(before), after: parsed(after) };
    });
    const text = encodeEntries(rows.map(toEntry), options);
    const last = rows.at(-1);
    return {
      text,
      count: rows.length,
      ...(last ? { last: { createdAt: last.createdAt, seq: last.seq } } : {}),
    };
  } finally {
    raw.close();
  }
}
