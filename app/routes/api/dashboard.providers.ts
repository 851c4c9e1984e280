import { z } from "zod";
import { ProviderStatus } from "~/ai/models/health.schema";
import { listProviderStatus } from "~/ai/models/health.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/dashboard/providers",
  tag: "Dashboard",
  GET: endpoint({
    summary: "List the status of each provider",
    description: "Measured by its calls, and by free health checks while idle.",
    access: "screens.read",
    response: z.array(ProviderStatus),
    handle: ({ actor }) => listProviderStatus(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
