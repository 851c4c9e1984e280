import { exportAudit } from "~/console/audit/export.service.server";
import { downloadStream } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { AuditExportQuery } from "~/platform/audit/audit.schema";

const route = resource({
  path: "/api/audit/export",
  tag: "Audit",
  GET: endpoint({
    summary: "Export matching audit entries, newest first",
    description: "A file as CSV, JSON or NDJSON. Each export is recorded as an audit entry.",
    access: "audit.all",
    query: AuditExportQuery,
    produces: "text/csv",
    handle: ({ actor, query, context }) => downloadStream(context, exportAudit(actor, query)),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
