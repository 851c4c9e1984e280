import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Webhook, WorkflowId } from "~/work/workflows/workflows.schema";
import { listWebhooks } from "~/work/workflows/workflows.service.server";

const route = resource({
  path: "/api/workflows/{id}/webhooks",
  tag: "Workflows",
  GET: endpoint({
    summary: "List the secret addresses of a workflow's webhook triggers",
    access: "workflows.write",
    params: WorkflowId,
    response: z.array(Webhook),
    handle: ({ actor, params }) => listWebhooks(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
