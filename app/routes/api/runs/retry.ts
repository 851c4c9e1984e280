import { Run, RunId } from "~/features/workflows/runs.schema";
import { retryRun } from "~/features/workflows/runs.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/runs/{id}/retry",
  tag: "Workflows",
  POST: endpoint({
    summary: "Run a failed run again from the step that failed",
    access: "workflows.write",
    params: RunId,
    response: Run,
    handle: ({ actor, params }) => retryRun(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
