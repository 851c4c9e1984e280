import { checkHealth, Health } from "~/http/health.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/health",
  tag: "System",
  GET: endpoint({
    summary: "Check the console's health, for load balancers and containers",
    access: "public",
    response: Health,
    handle: ({ actor }) => checkHealth(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
