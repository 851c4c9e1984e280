import { z } from "zod";
import { checkHealth } from "~/http/health.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/health",
  tag: "System",
  GET: endpoint({
    summary: "Whether the console can answer, for load balancers and containers",
    access: "public",
    response: z.object({ status: z.literal("ok") }),
    handle: checkHealth,
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
