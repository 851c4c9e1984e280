import { endpoint, resource } from "~/http/resource.server";
import { RunDetails, RunId } from "~/work/workflows/runs.schema";
import { readRun } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs/{id}",
  tag: "Workflows",
  GET: endpoint({
    summary: "Get a run with its steps",
    access: "screens.read",
    params: RunId,
    response: RunDetails,
    handle: ({ actor, params }) => readRun(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
