import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { stopComparison } from "~/work/comparisons/comparisons.service.server";

const route = resource({
  path: "/api/ai/comparisons/{comparison}/stop",
  tag: "Comparisons",
  POST: endpoint({
    summary: "Stop its running answers, also at the providers",
    description: "Stop a single answer like a conversation's answer.",
    access: "chat.use",
    params: z.object({ comparison: z.string().max(100) }),
    status: 204,
    handle: async ({ actor, params }) => {
      await stopComparison(actor, params.comparison);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
