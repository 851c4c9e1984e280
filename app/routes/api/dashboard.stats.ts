import { DashboardStats } from "~/console/dashboard/stats.schema";
import { dashboardStats } from "~/console/dashboard/stats.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/dashboard/stats",
  tag: "Dashboard",
  GET: endpoint({
    summary: "Get tokens, spend, workflows, documents and providers",
    description: "Figures are always real, including zeros. Sample data appears only on screens.",
    access: "screens.read",
    response: DashboardStats,
    handle: ({ actor }) => dashboardStats(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
