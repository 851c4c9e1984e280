import { z } from "zod";
import { AuditEntry, AuditExportQuery, AuditQuery } from "~/platform/audit/audit.schema";
import { endpoint, endpoints, page, textFile } from "~/platform/endpoint/endpoint.shared";
import {
  Checkpoint,
  Dropped,
  dropSealed,
  exportSealed,
  listCheckpoints,
  SealInput,
  sealBefore,
} from "./checkpoints.service.server";
import { pageAudit } from "./entries.service.server";
import { exportAudit } from "./export.service.server";
import { StreamInput, StreamState } from "./stream/stream.schema";
import { readStream, saveStreamSettings, testStream } from "./stream/stream.service.server";

const UpTo = z.object({ upTo: z.coerce.number().int().nonnegative().catch(0) });

export const auditApi = endpoints("Audit", [
  endpoint({
    method: "GET",
    path: "/api/audit/checkpoints/{upTo}",
    summary: "Download the audit entries up to a checkpoint",
    description: "A line of JSON for each entry, with all that its signature covers.",
    access: "safeguards.disable",
    params: UpTo,
    produces: "application/x-ndjson",
    handle: ({ actor, params: { upTo } }) =>
      textFile({
        name: `audit-log-up-to-${upTo}.ndjson`,
        type: "application/x-ndjson",
        pieces: exportSealed(actor, upTo),
      }),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/audit/checkpoints/{upTo}",
    summary: "Drop the audit entries up to a checkpoint",
    description: "Deletes them for good. The chain continues from the checkpoint.",
    access: "safeguards.disable",
    params: UpTo,
    response: Dropped,
    handle: async ({ actor, params: { upTo } }) => ({ dropped: await dropSealed(actor, upTo) }),
  }),
  endpoint({
    method: "GET",
    path: "/api/audit/checkpoints",
    summary: "List the newest 100 checkpoints of the audit log",
    access: "safeguards.disable",
    response: z.array(Checkpoint),
    handle: ({ actor }) => listCheckpoints(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/audit/checkpoints",
    summary: "Seal the audit entries before a day",
    description: "The trail is verified first. A sealed range can be downloaded and dropped.",
    access: "safeguards.disable",
    body: SealInput,
    response: Checkpoint,
    status: 201,
    handle: ({ actor, body }) => sealBefore(actor, body),
  }),
  endpoint({
    method: "GET",
    path: "/api/audit/export",
    summary: "Export matching audit entries, newest first",
    description: "A file as CSV, JSON or NDJSON. Each export is recorded as an audit entry.",
    access: "audit.all",
    query: AuditExportQuery,
    produces: ["text/csv", "application/json", "application/x-ndjson"],
    handle: ({ actor, query }) => textFile(exportAudit(actor, query)),
  }),
  endpoint({
    method: "GET",
    path: "/api/audit/stream",
    summary: "Get where audit entries are sent, and how far",
    access: "safeguards.disable",
    response: StreamState,
    handle: ({ actor }) => readStream(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/audit/stream",
    summary: "Change where audit entries are sent",
    description: "Changes only the fields sent. Entries are sent in order and at least once.",
    access: "safeguards.disable",
    body: StreamInput,
    response: StreamState,
    handle: ({ actor, body }) => saveStreamSettings(actor, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/audit/stream/test",
    summary: "Send a test to the collector of audit entries",
    description: "The error says why the collector didn't take it.",
    access: "safeguards.disable",
    status: 204,
    handle: ({ actor }) => testStream(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/audit",
    summary: "List audit entries, newest first",
    description:
      "Admins read the whole organization's trail, others their own entries. A page of a search may contain fewer entries than `limit`, or none: follow the `Link` header.",
    access: "signed-in",
    query: AuditQuery,
    response: z.array(AuditEntry),
    handle: async ({ actor, query }) => {
      const { entries, next } = await pageAudit(actor, query);
      return page(entries, next);
    },
  }),
]);
