import { z } from "zod";
import { PartId, Webhook } from "~/features/workflows/workflows.schema";
import { rotateWebhook } from "~/features/workflows/workflows.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/workflows/{id}/webhooks/{trigger}/rotate",
  tag: "Workflows",
  POST: endpoint({
    summary: "Change a webhook trigger's secret address",
    access: "workflows.write",
    params: z.object({ id: z.string().max(64), trigger: PartId }),
    response: Webhook,
    handle: ({ actor, params }) => rotateWebhook(actor, params.id, params.trigger),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
