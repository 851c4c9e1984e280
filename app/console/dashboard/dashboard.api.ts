import { z } from "zod";
import { listProviderStatus } from "~/ai/models/health.service.server";
import { ProviderStatus } from "~/ai/models/models.schema";
import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { DashboardStats } from "./overview.schema";
import { dashboardStats } from "./overview.service.server";

export const dashboardApi = endpoints("Dashboard", [
  endpoint({
    method: "GET",
    path: "/api/dashboard/providers",
    summary: "List the status of each provider",
    description: "Measured by its calls, and by free health checks while idle.",
    access: "screens.read",
    response: z.array(ProviderStatus),
    handle: ({ actor }) => listProviderStatus(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/dashboard/stats",
    summary: "Get tokens, spend, workflows, documents and providers",
    description: "Figures are always real, including zeros. Sample data appears only on screens.",
    access: "screens.read",
    response: DashboardStats,
    handle: ({ actor }) => dashboardStats(actor),
  }),
]);
