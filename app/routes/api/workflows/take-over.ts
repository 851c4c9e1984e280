import { Workflow, WorkflowId } from "~/features/workflows/workflows.schema";
import { takeOverWorkflow } from "~/features/workflows/workflows.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/workflows/{id}/take-over",
  tag: "Workflows",
  POST: endpoint({
    summary: "Run a workflow with your permissions",
    access: "workflows.write",
    params: WorkflowId,
    response: Workflow,
    handle: ({ actor, params }) => takeOverWorkflow(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
