import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { WorkflowId, WorkflowVersion } from "~/work/workflows/workflows.schema";
import { listVersions } from "~/work/workflows/workflows.service.server";

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
