import { createReadableStreamFromReadable } from "@remix-run/node";
import { endpoint, resource } from "~/http/resource.server";
import { StepKey } from "~/work/workflows/runs.schema";
import { openStepOutput } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs/{id}/steps/{key}/output",
  tag: "Workflows",
  GET: endpoint({
    summary: "Get the full output of a step that is too large for the run's response",
    access: "workflows.write",
    params: StepKey,
    produces: "application/json",
    handle: ({ actor, params }) =>
      new Response(createReadableStreamFromReadable(openStepOutput(actor, params.id, params.key)), {
        headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" },
      }),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
