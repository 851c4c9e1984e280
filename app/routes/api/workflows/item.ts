import { endpoint, reply, resource } from "~/http/resource.server";
import { Workflow, WorkflowId, WorkflowPatch } from "~/work/workflows/workflows.schema";
import { deleteWorkflow, readWorkflow, updateWorkflow } from "~/work/workflows/workflows.service.server";

const change = endpoint({
  summary: "Change a workflow",
  description:
    "A changed definition is a new version. With `version` or `updatedAt`, a change is refused (409) if it would replace a newer one.",
  access: "workflows.write",
  params: WorkflowId,
  body: WorkflowPatch,
  response: Workflow,
  handle: ({ actor, params, body }) => updateWorkflow(actor, params.id, body),
});

const route = resource({
  path: "/api/workflows/{id}",
  tag: "Workflows",
  GET: endpoint({
    summary: "Get a workflow",
    access: "screens.read",
    params: WorkflowId,
    response: Workflow,
    handle: ({ actor, params }) => readWorkflow(actor, params.id),
  }),
  PUT: change,
  PATCH: change,
  DELETE: endpoint({
    summary: "Delete a workflow with its versions and runs",
    access: "workflows.write",
    params: WorkflowId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteWorkflow(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
