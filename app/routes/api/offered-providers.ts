import { z } from "zod";
import { DetectedProvider } from "~/ai/models/catalogue.schema";
import { listDetectedProviders } from "~/ai/models/providers.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/offered-providers",
  tag: "Providers",
  GET: endpoint({
    summary: "List model servers found on this host",
    description: "None is used until you add it with POST /api/providers.",
    access: "providers.manage",
    response: z.array(DetectedProvider),
    handle: ({ actor }) => listDetectedProviders(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
