import { endpoint, resource } from "~/http/resource.server";
import { UsageQuery, UsageReport } from "~/team/usage/usage-report.schema";
import { readUsage } from "~/team/usage/usage-report.service.server";

const route = resource({
  path: "/api/usage",
  tag: "Usage",
  GET: endpoint({
    summary: "Get usage by group and by day",
    description:
      "Admins read the whole organization's usage, others their own. A single day is divided into hours.",
    access: "signed-in",
    query: UsageQuery,
    response: UsageReport,
    handle: ({ actor, query }) => readUsage(actor, query),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
