import { endpoint, resource } from "~/http/resource.server";
import { VersionParams, WorkflowDefinition } from "~/work/workflows/workflows.schema";
import { readVersion } from "~/work/workflows/workflows.service.server";

const route = resource({
  path: "/api/workflows/{id}/versions/{version}",
  tag: "Workflows",
  GET: endpoint({
    summary: "Get the triggers, steps and connections of a version",
    access: "screens.read",
    params: VersionParams,
    response: WorkflowDefinition,
    handle: ({ actor, params }) => readVersion(actor, params.id, params.version),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
