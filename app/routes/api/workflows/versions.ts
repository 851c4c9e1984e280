import { z } from "zod";
import { WorkflowId, WorkflowVersion } from "~/features/workflows/workflows.schema";
import { listVersions } from "~/features/workflows/workflows.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/workflows/{id}/versions",
  tag: "Workflows",
  GET: endpoint({
    summary: "List a workflow's versions, newest first",
    access: "screens.read",
    params: WorkflowId,
    response: z.array(WorkflowVersion),
    handle: ({ actor, params }) => listVersions(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
