import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { PartId, Webhook } from "~/work/workflows/workflows.schema";
import { rotateWebhook } from "~/work/workflows/workflows.service.server";

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
