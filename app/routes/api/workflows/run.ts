import { endpoint, reply, resource } from "~/http/resource.server";
import { Run, RunInput } from "~/work/workflows/runs.schema";
import { runWorkflow } from "~/work/workflows/runs.service.server";
import { WorkflowId } from "~/work/workflows/workflows.schema";

const route = resource({
  path: "/api/workflows/run/{id}",
  tag: "Workflows",
  POST: endpoint({
    summary: "Run an enabled workflow",
    description:
      "Returns once the run is stored durably. The header `Idempotency-Key` keeps a repeated " +
      "call from starting a second run.",
    access: "workflows.write",
    params: WorkflowId,
    body: RunInput,
    response: Run,
    status: 202,
    handle: async ({ actor, params, body, request }) => {
      const key = request.headers.get("idempotency-key")?.slice(0, 200);
      const run = await runWorkflow(actor, params.id, body.payload, key || undefined);
      return reply(run, { status: 202, headers: { Location: `/api/runs/${run.id}` } });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
