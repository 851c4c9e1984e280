import { z } from "zod";
import type { Actor } from "~/core/actor";
import { rawDatabase, transaction } from "~/core/db.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { ENTRY_COLUMNS } from "~/platform/audit/audit.repo.server";
import type { AuditExportQuery } from "~/platform/audit/audit.schema";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { namesOfActors } from "~/team/members/member.service.server";
import { EXPORT_FRAMES, type ExportBatch, type ExportTask, encodeEntries } from "./encode-entries.server";
import { exportParts } from "./entries.service.server";

const BATCH = 250;

const thread = new WorkerPool<ExportTask, ExportBatch>({
  name: "audit-export",
  entry: bundledWorker("audit-export"),
  output: z.custom<ExportBatch>((value) => typeof value === "object"),
  size: 1,
  timeoutMs: 120_000,
  maxHeapMb: 128,
  isBackground: true,
});

async function* encodeAll(actor: Actor, { format, ...filter }: AuditExportQuery) {
  const { head, foot } = EXPORT_FRAMES[format];
  const names = format === "csv" ? namesOfActors(actor) : {};
  let isFirst = true;
  yield head;
  const parts = exportParts(actor, filter, {
    batch: BATCH,
    encode: ({ sql, params }) =>
      thread.run({
        database: rawDatabase().name,
        sql,
        params,
        columns: ENTRY_COLUMNS,
        format,
        names,
        isFirst,
      }),
  });
  for await (const part of parts) {
    const text: string = "text" in part ? part.text : encodeEntries(part.entries, { format, names, isFirst });
    isFirst &&= text === "";
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
  return {
    name: `audit-log.${format}`,
    type: EXPORT_FRAMES[format].type,
    pieces: encodeAll(actor, query),
  };
}
