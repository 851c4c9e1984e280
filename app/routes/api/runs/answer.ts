import { endpoint, resource } from "~/http/resource.server";
import { AnswerInput, Run, RunId } from "~/work/workflows/runs.schema";
import { answerStep } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs/{id}/answer",
  tag: "Workflows",
  POST: endpoint({
    summary: "Approve or refuse an approval step",
    access: "workflows.write",
    params: RunId,
    body: AnswerInput,
    response: Run,
    handle: ({ actor, params, body }) => answerStep(actor, params.id, body.step, body.approved, body.comment),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
