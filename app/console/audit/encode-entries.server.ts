import { z } from "zod";
import { toCsvRow } from "~/core/csv";
import { authorName, type People } from "~/platform/audit/actor-name.shared";
import type { AuditEntry } from "~/platform/audit/audit.schema";
import type { EXPORT_FORMATS } from "~/platform/audit/audit.shared";
import { sentenceOf } from "./sentences.server";

type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** One batch of an export, read and encoded in a thread. `columns` names the values of a row. */
export const ExportTask = z.object({
  database: z.string(),
  sql: z.string(),
  params: z.array(z.unknown()),
  columns: z.array(z.string()),
  format: z.custom<ExportFormat>(),
  names: z.custom<People>(),
  isFirst: z.boolean(),
});
export type ExportTask = z.infer<typeof ExportTask>;

export interface ExportBatch {
  text: string;
  count: number;
  /** Sort key of the batch's last entry. */
  last?: { createdAt: number; seq: number };
}

const CSV_COLUMNS = [
  "time",
  "action",
  "description",
  "actor",
  "actor_id",
  "actor_kind",
  "resource",
  "address",
  "details",
  "before",
  "after",
  "id",
];

const json = (values: object | null) => (values === null ? "" : JSON.stringify(values));

const csvRow = (entry: AuditEntry, names: People) =>
  toCsvRow([
    entry.createdAt,
    entry.action,
    sentenceOf(entry),
    authorName(entry, names),
    entry.userId,
    entry.actorKind ?? "",
    entry.resource,
    entry.address ?? "",
    json(entry.details),
    json(entry.before),
    json(entry.after),
    entry.id,
  ]);

/** Media type, beginning and end of an export. */
export const EXPORT_FRAMES: Record<ExportFormat, { type: string; head: string; foot: string }> = {
  // Spreadsheets need the BOM to read UTF-8.
  csv: { type: "text/csv; charset=utf-8", head: `\uFEFF${toCsvRow(CSV_COLUMNS)}`, foot: "" },
  ndjson: { type: "application/x-ndjson", head: "", foot: "" },
  json: { type: "application/json; charset=utf-8", head: "[", foot: "\n]\n" },
};

/** Encodes entries. `isFirst` if they begin the export. */
export function encodeEntries(
  entries: readonly AuditEntry[],
  { format, names, isFirst }: { format: ExportFormat; names: People; isFirst: boolean },
): string {
  if (format === "csv") return entries.map((entry) => csvRow(entry, names)).join("");
  if (format === "ndjson") return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  return entries.map((entry, at) => `${isFirst && at === 0 ? "\n" : ",\n"}${JSON.stringify(entry)}`).join("");
}
