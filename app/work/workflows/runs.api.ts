import { z } from "zod";
import { accepted, endpoint, endpoints, page, reply, stream } from "~/platform/endpoint/endpoint.shared";
import { createApprovalLink } from "./approval-links.service.server";
import { rerunFrom } from "./rerun.service.server";
import {
  AnswerInput,
  ApprovalLink,
  ApprovalLinkInput,
  RerunInput,
  Run,
  RunDetails,
  RunId,
  RunInput,
  RunQuery,
  StepKey,
} from "./runs.schema";
import {
  answerStep,
  cancelRun,
  openStepOutput,
  pageRuns,
  readRun,
  repeatRun,
  retryRun,
  runWorkflow,
} from "./runs.service.server";
import { WorkflowId } from "./workflows.schema";

/** What the calls have in common that change a run. */
const CHANGE = { access: "workflows.write", params: RunId, response: RunDetails } as const;

export const runsApi = endpoints("Workflows", [
  endpoint({
    ...CHANGE,
    method: "POST",
    path: "/api/runs/{id}/answer",
    summary: "Approve or refuse an approval step",
    body: AnswerInput,
    handle: ({ actor, params, body }) => answerStep(actor, params.id, body.step, body.approved, body.comment),
  }),
  endpoint({
    method: "POST",
    path: "/api/runs/{id}/approval-links",
    summary: "Create a signed link for a named recipient to approve or refuse a step",
    access: "workflows.write",
    params: RunId,
    body: ApprovalLinkInput,
    response: ApprovalLink,
    status: 201,
    handle: ({ actor, params, body, origin }) =>
      reply(createApprovalLink(actor, params.id, body, origin), { status: 201 }),
  }),
  endpoint({
    ...CHANGE,
    method: "POST",
    path: "/api/runs/{id}/cancel",
    summary: "Cancel a run",
    handle: ({ actor, params }) => cancelRun(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/runs/{id}",
    summary: "Get a run with its steps",
    access: "screens.read",
    params: RunId,
    response: RunDetails,
    handle: ({ actor, params }) => readRun(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/runs",
    summary: "List runs, newest first",
    access: "screens.read",
    query: RunQuery,
    response: z.array(Run),
    handle: ({ actor, query }) => {
      const { runs, next } = pageRuns(actor, query);
      return page(runs, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/runs/{id}/steps/{key}/output",
    summary: "Get the full output of a step that is too large for the run's response",
    access: "workflows.write",
    params: StepKey,
    produces: "application/json",
    handle: async ({ actor, params }) =>
      stream("application/json; charset=utf-8", await openStepOutput(actor, params.id, params.key)),
  }),
  endpoint({
    ...CHANGE,
    method: "POST",
    path: "/api/runs/{id}/repeat",
    summary: "Run the current workflow again with the same data",
    status: 202,
    handle: async ({ actor, params }) => {
      const run = await repeatRun(actor, params.id);
      return accepted(run, `/api/runs/${run.id}`);
    },
  }),
  endpoint({
    ...CHANGE,
    method: "POST",
    path: "/api/runs/{id}/rerun",
    summary: "Start a new run of the current workflow at a step of an ended run",
    description:
      "Finished steps that don't come after it keep their outputs and aren't repeated. `input` replaces the step's " +
      "configuration.",
    body: RerunInput,
    status: 202,
    handle: async ({ actor, params, body }) => {
      const run = await rerunFrom(actor, params.id, body);
      return accepted(run, `/api/runs/${run.id}`);
    },
  }),
  endpoint({
    ...CHANGE,
    method: "POST",
    path: "/api/runs/{id}/retry",
    summary: "Retry a failed run from the failed step",
    handle: ({ actor, params }) => retryRun(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/run/{id}",
    summary: "Run an enabled workflow",
    description:
      "Returns once the run is stored durably. The header `Idempotency-Key` keeps a repeated " +
      "call from starting a second run.",
    access: "workflows.write",
    params: WorkflowId,
    body: RunInput,
    response: RunDetails,
    status: 202,
    handle: async ({ actor, params, body, headers }) => {
      const key = headers.get("idempotency-key")?.slice(0, 200);
      const run = await runWorkflow(actor, params.id, body.payload, key || undefined);
      return accepted(run, `/api/runs/${run.id}`);
    },
  }),
]);
