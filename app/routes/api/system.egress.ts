import { z } from "zod";
import { EgressCallEntry } from "~/console/settings/egress.schema";
import { listEgressCalls } from "~/console/settings/egress.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/egress",
  tag: "System",
  GET: endpoint({
    summary: "List recent outgoing calls",
    description:
      "At most 500 since the last start, newest first, without paths, queries, headers and bodies.",
    access: "egress.manage",
    response: z.array(EgressCallEntry),
    handle: ({ actor }) => listEgressCalls(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
