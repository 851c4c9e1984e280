import { endpoint, reply, resource } from "~/http/resource.server";
import { Run, RunId } from "~/work/workflows/runs.schema";
import { repeatRun } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs/{id}/repeat",
  tag: "Workflows",
  POST: endpoint({
    summary: "Run the current workflow again with the same data",
    access: "workflows.write",
    params: RunId,
    response: Run,
    status: 202,
    handle: async ({ actor, params }) => {
      const run = await repeatRun(actor, params.id);
      return reply(run, { status: 202, headers: { Location: `/api/runs/${run.id}` } });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
