import type { Actor } from "~/core/actor";
import { toCsvRow } from "~/core/csv";
import { transaction } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { namesOfMembers } from "~/features/members/member.service.server";
import type { AuditEntry, AuditExportQuery } from "./audit.schema";
import { append } from "./audit.service.server";
import { readAllAudit } from "./entries.service.server";
import { sentenceOf } from "./sentences.service.server";

/** Entries per batch; a batch is encoded without yielding. */
const BATCH = 100;

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

type Encode = (entry: AuditEntry, isFirst: boolean) => string;

interface Format {
  type: string;
  head: string;
  foot: string;
  encode: Encode;
}

function csvFormat(names: Readonly<Record<string, string>>): Format {
  const json = (values: object | null) => (values === null ? "" : JSON.stringify(values));
  return {
    type: "text/csv; charset=utf-8",
    head: `\uFEFF${toCsvRow(CSV_COLUMNS)}`,
    foot: "",
    encode: (entry) =>
      toCsvRow([
        entry.createdAt,
        entry.action,
        sentenceOf(entry),
        entry.userId === "system" ? "System" : (names[entry.userId] ?? "Removed member"),
        entry.userId,
        entry.actorKind ?? "",
        entry.resource,
        entry.address ?? "",
        json(entry.details),
        json(entry.before),
        json(entry.after),
        entry.id,
      ]),
  };
}

function formatOf(actor: Actor, format: AuditExportQuery["format"]): Format {
  if (format === "csv") return csvFormat(namesOfMembers(actor));
  if (format === "ndjson") {
    const encode: Encode = (entry) => `${JSON.stringify(entry)}\n`;
    return { type: "application/x-ndjson", head: "", foot: "", encode };
  }
  const encode: Encode = (entry, isFirst) => `${isFirst ? "\n" : ",\n"}${JSON.stringify(entry)}`;
  return { type: "application/json; charset=utf-8", head: "[", foot: "\n]\n", encode };
}

async function* encodeAll(actor: Actor, query: AuditExportQuery, { head, foot, encode }: Format) {
  yield head;
  let isFirst = true;
  for await (const entries of readAllAudit(actor, query, BATCH)) {
    let text = "";
    for (const entry of entries) {
      text += encode(entry, isFirst);
      isFirst = false;
    }
    yield text;
  }
  yield foot;
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
  const found = formatOf(actor, format);
  return { name: `audit-log.${format}`, type: found.type, pieces: encodeAll(actor, query, found) };
}
