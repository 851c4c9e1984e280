import { endpoint, resource } from "~/http/resource.server";
import { VersionParams, Workflow } from "~/work/workflows/workflows.schema";
import { restoreVersion } from "~/work/workflows/workflows.service.server";

const route = resource({
  path: "/api/workflows/{id}/versions/{version}/restore",
  tag: "Workflows",
  POST: endpoint({
    summary: "Restore an earlier version",
    access: "workflows.write",
    params: VersionParams,
    response: Workflow,
    handle: ({ actor, params }) => restoreVersion(actor, params.id, params.version),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
