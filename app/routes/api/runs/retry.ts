import { endpoint, resource } from "~/http/resource.server";
import { Run, RunId } from "~/work/workflows/runs.schema";
import { retryRun } from "~/work/workflows/runs.service.server";

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
