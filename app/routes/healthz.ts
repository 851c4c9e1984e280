import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/healthz",
  tag: "System",
  GET: endpoint({
    summary: "Check that the process responds",
    access: "public",
    response: z.object({ status: z.literal("ok") }),
    handle: () => ({ status: "ok" as const }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
