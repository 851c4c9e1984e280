import { endpoint, endpoints, textFile } from "~/platform/endpoint/endpoint.shared";
import { UsageQuery, UsageReport } from "./usage.schema";
import { exportUsage, readUsage } from "./usage-report.service.server";

export const usageApi = endpoints("Usage", [
  endpoint({
    method: "GET",
    path: "/api/usage/export",
    summary: "Export usage as CSV",
    description: "A row for each group of each day, or of each hour of a single day.",
    access: "signed-in",
    query: UsageQuery,
    produces: "text/csv",
    handle: ({ actor, query }) => textFile(exportUsage(actor, query)),
  }),
  endpoint({
    method: "GET",
    path: "/api/usage",
    summary: "Get usage by group and by day",
    description:
      "Admins read the whole organization's usage, others their own. A single day is divided into hours.",
    access: "signed-in",
    query: UsageQuery,
    response: UsageReport,
    handle: ({ actor, query }) => readUsage(actor, query),
  }),
]);
