import { Run, RunId } from "~/features/workflows/runs.schema";
import { cancelRun } from "~/features/workflows/runs.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
