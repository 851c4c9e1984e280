import { downloadStream } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { exportUsage } from "~/team/usage/usage-export.service.server";
import { UsageQuery } from "~/team/usage/usage-report.schema";

const route = resource({
  path: "/api/usage/export",
  tag: "Usage",
  GET: endpoint({
    summary: "Export usage as CSV",
    description: "A row for each group of each day, or of each hour of a single day.",
    access: "signed-in",
    query: UsageQuery,
    produces: "text/csv",
    handle: ({ actor, query, context }) => downloadStream(context, exportUsage(actor, query)),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
