import { Run, RunId } from "~/features/workflows/runs.schema";
import { retryRun } from "~/features/workflows/runs.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/runs/{id}/retry",
  tag: "Workflows",
  POST: endpoint({
    summary: "Retry a failed run from the failed step",
    access: "workflows.write",
    params: RunId,
    response: Run,
    handle: ({ actor, params }) => retryRun(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
