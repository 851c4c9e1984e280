import { DashboardStats } from "~/features/dashboard/stats.schema";
import { dashboardStats } from "~/features/dashboard/stats.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/dashboard/stats",
  tag: "Dashboard",
  GET: endpoint({
    summary: "Tokens, spend, workflows, documents and providers",
    description: "The figures are always what is true, zeros included; samples appear on screens alone.",
    access: "screens.read",
    response: DashboardStats,
    handle: ({ actor }) => dashboardStats(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
