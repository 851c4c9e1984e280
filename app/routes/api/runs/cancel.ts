import { endpoint, resource } from "~/http/resource.server";
import { Run, RunId } from "~/work/workflows/runs.schema";
import { cancelRun } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs/{id}/cancel",
  tag: "Workflows",
  POST: endpoint({
    summary: "Cancel a run",
    access: "workflows.write",
    params: RunId,
    response: Run,
    handle: ({ actor, params }) => cancelRun(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
