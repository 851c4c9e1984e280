import type { Actor } from "~/core/actor";
import { CSV_TYPE, csvHead, toCsvRow } from "~/core/csv";
import { transaction } from "~/core/db.server";
import { authorName, type People } from "~/platform/audit/actor-name.shared";
import type { AuditEntry, AuditExportQuery } from "~/platform/audit/audit.schema";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { namesOfActors } from "~/team/members/member-names.service.server";
import { exportEntries } from "./entries.service.server";
import { sentenceOf } from "./sentences.service.server";

type ExportFormat = AuditExportQuery["format"];

const json = (values: object | null) => values && JSON.stringify(values);

const CSV_COLUMNS: readonly [
  name: string,
  cellOf: (entry: AuditEntry, names: People) => string | null | undefined,
][] = [
  ["time", (entry) => entry.createdAt],
  ["action", (entry) => entry.action],
  ["description", sentenceOf],
  ["actor", authorName],
  ["actor_id", (entry) => entry.userId],
  ["actor_kind", (entry) => entry.actorKind],
  ["resource", (entry) => entry.resource],
  ["address", (entry) => entry.address],
  ["details", (entry) => json(entry.details)],
  ["before", (entry) => json(entry.before)],
  ["after", (entry) => json(entry.after)],
  ["id", (entry) => entry.id],
];

const csvRow = (entry: AuditEntry, names: People) =>
  toCsvRow(CSV_COLUMNS.map(([, cellOf]) => cellOf(entry, names)));

/** Media type, beginning and end of an export. */
const FRAMES: Record<ExportFormat, { type: string; head: string; foot: string }> = {
  csv: { type: CSV_TYPE, head: csvHead(CSV_COLUMNS.map(([name]) => name)), foot: "" },
  ndjson: { type: "application/x-ndjson", head: "", foot: "" },
  json: { type: "application/json; charset=utf-8", head: "[", foot: "\n]\n" },
};

function encode(entries: readonly AuditEntry[], format: ExportFormat, names: People): string {
  if (format === "csv") return entries.map((entry) => csvRow(entry, names)).join("");
  if (format === "ndjson") return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  return entries.map((entry) => `\n${JSON.stringify(entry)}`).join(",");
}

async function* encodeAll(actor: Actor, { format, ...filter }: AuditExportQuery) {
  const names = format === "csv" ? namesOfActors(actor) : {};
  yield FRAMES[format].head;
  let isFirst = true;
  for await (const entries of exportEntries(actor, filter)) {
    if (format === "json" && !isFirst) yield ",";
    isFirst = false;
    yield encode(entries, format, names);
  }
  yield FRAMES[format].foot;
}

/**
 * Exports matching entries, newest first. The export itself is recorded first.
 * @throws AppError `forbidden`
 */
export function exportAudit(actor: Actor, query: AuditExportQuery) {
  authorise(actor, "audit.all");
  const { format, ...filter } = query;
  transaction((tx) =>
    append(tx, actor, { action: "audit.exported", resource: "audit", details: { format, ...filter } }),
  );
  return {
    name: `audit-log.${format}`,
    type: FRAMES[format].type,
    pieces: encodeAll(actor, query),
  };
}
