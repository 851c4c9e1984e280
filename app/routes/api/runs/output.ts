import { createReadableStreamFromReadable } from "@remix-run/node";
import { StepKey } from "~/features/workflows/runs.schema";
import { openStepOutput } from "~/features/workflows/runs.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
