import { created, endpoint, resource } from "~/http/resource.server";
import { Workflow, WorkflowId } from "~/work/workflows/workflows.schema";
import { duplicateWorkflow } from "~/work/workflows/workflows.service.server";

const route = resource({
  path: "/api/workflows/{id}/duplicate",
  tag: "Workflows",
  POST: endpoint({
    summary: "Create a disabled copy of a workflow",
    access: "workflows.write",
    params: WorkflowId,
    response: Workflow,
    status: 201,
    handle: ({ actor, params }) => {
      const copy = duplicateWorkflow(actor, params.id);
      return created(copy, `/api/workflows/${copy.id}`);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
