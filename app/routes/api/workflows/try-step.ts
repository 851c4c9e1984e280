import { endpoint, resource } from "~/http/resource.server";
import { TriedStep, TryStepInput } from "~/work/workflows/try-step.schema";
import { tryStep } from "~/work/workflows/try-step.service.server";

const route = resource({
  path: "/api/workflows/try-step",
  tag: "Workflows",
  POST: endpoint({
    summary: "Run one step with sample input",
    description:
      "The step has its real effects, with the caller's rights, and is not part of a run. Its failure is part of the " +
      "response.",
    access: "workflows.write",
    body: TryStepInput,
    response: TriedStep,
    handle: ({ actor, body, context }) => tryStep(actor, body, context.closed),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
