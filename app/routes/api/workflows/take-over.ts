import { endpoint, resource } from "~/http/resource.server";
import { Workflow, WorkflowId } from "~/work/workflows/workflows.schema";
import { takeOverWorkflow } from "~/work/workflows/workflows.service.server";

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
