import { VersionParams, WorkflowDefinition } from "~/features/workflows/workflows.schema";
import { readVersion } from "~/features/workflows/workflows.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
