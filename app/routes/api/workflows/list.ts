import { z } from "zod";
import { created, endpoint, paged, resource } from "~/http/resource.server";
import { Workflow, WorkflowInput, WorkflowQuery } from "~/work/workflows/workflows.schema";
import { createWorkflow, pageWorkflows } from "~/work/workflows/workflows.service.server";

const route = resource({
  path: "/api/workflows",
  tag: "Workflows",
  GET: endpoint({
    summary: "List workflows, newest first",
    access: "screens.read",
    query: WorkflowQuery,
    response: z.array(Workflow),
    handle: ({ actor, query, request }) => {
      const { workflows, next } = pageWorkflows(actor, query);
      return paged(request, workflows, next);
    },
  }),
  POST: endpoint({
    summary: "Create a workflow",
    description:
      "Triggers and steps without an id get one from their type. Steps without connections run in order.",
    access: "workflows.write",
    body: WorkflowInput,
    response: Workflow,
    status: 201,
    handle: ({ actor, body }) => {
      const workflow = createWorkflow(actor, body);
      return created(workflow, `/api/workflows/${workflow.id}`);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
