import { z } from "zod";
import { rawDatabase } from "~/core/db.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/health",
  tag: "System",
  GET: endpoint({
    summary: "Whether the console can answer, for load balancers and containers",
    access: "public",
    response: z.object({ status: z.literal("ok") }),
    handle: () => {
      rawDatabase().prepare("select 1").get();
      return { status: "ok" };
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
