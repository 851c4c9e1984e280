import { z } from "zod";
import {
  accepted,
  created,
  endpoint,
  endpoints,
  nothing,
  textFile,
} from "~/platform/endpoint/endpoint.shared";
import {
  EvaluationSet,
  Question,
  QuestionId,
  QuestionInput,
  ResultRow,
  ResultsQuery,
  Run,
  RunInput,
  SetId,
  SetInput,
  SetPatch,
} from "./evaluations.schema";
import {
  addQuestion,
  changeQuestion,
  createSet,
  deleteQuestion,
  deleteSet,
  listQuestions,
  listSets,
  readSet,
  updateSet,
} from "./evaluations.service.server";
import {
  deleteRun,
  exportRun,
  listRuns,
  pageResults,
  readRun,
  resumeRun,
  startRun,
  stopRun,
} from "./runs.service.server";

const write = { access: "evaluations.write", params: SetId } as const;
const read = { access: "screens.read", params: SetId } as const;

export const evaluationsApi = endpoints("Evaluations", [
  endpoint({
    method: "GET",
    path: "/api/evaluations",
    summary: "List your evaluations and shared ones, by name",
    access: "screens.read",
    response: z.array(EvaluationSet),
    handle: ({ actor }) => listSets(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/evaluations",
    summary: "Create an evaluation, a set of questions",
    access: "evaluations.write",
    body: SetInput,
    response: EvaluationSet,
    status: 201,
    refusals: [409],
    handle: ({ actor, body }) => {
      const set = createSet(actor, body);
      return created(set, `/api/evaluations/${set.id}`);
    },
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluations/{id}",
    summary: "Get an evaluation",
    response: EvaluationSet,
    handle: ({ actor, params }) => readSet(actor, params.id),
  }),
  endpoint({
    ...write,
    method: "PATCH",
    path: "/api/evaluations/{id}",
    summary: "Change an evaluation",
    body: SetPatch,
    response: EvaluationSet,
    handle: ({ actor, params, body }) => updateSet(actor, params.id, body),
  }),
  endpoint({
    ...write,
    method: "DELETE",
    path: "/api/evaluations/{id}",
    summary: "Delete an evaluation with its runs",
    status: 204,
    handle: ({ actor, params }) => {
      deleteSet(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluations/{id}/questions",
    summary: "List the questions of an evaluation, oldest first",
    response: z.array(Question),
    handle: ({ actor, params }) => listQuestions(actor, params.id),
  }),
  endpoint({
    ...write,
    method: "POST",
    path: "/api/evaluations/{id}/questions",
    summary: "Add a question with the traits of a good answer",
    body: QuestionInput,
    response: Question,
    status: 201,
    refusals: [409],
    handle: ({ actor, params, body }) => addQuestion(actor, params.id, body),
  }),
  endpoint({
    method: "PUT",
    path: "/api/evaluations/{id}/questions/{question}",
    summary: "Change a question; runs keep it as it was",
    access: "evaluations.write",
    params: QuestionId,
    body: QuestionInput,
    response: Question,
    handle: ({ actor, params, body }) => changeQuestion(actor, params.id, params.question, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/evaluations/{id}/questions/{question}",
    summary: "Delete a question; runs keep it",
    access: "evaluations.write",
    params: QuestionId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteQuestion(actor, params.id, params.question);
      return nothing();
    },
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluations/{id}/runs",
    summary: "List the last 20 runs of an evaluation, newest first",
    response: z.array(Run),
    handle: ({ actor, params }) => listRuns(actor, params.id),
  }),
  endpoint({
    ...write,
    method: "POST",
    path: "/api/evaluations/{id}/runs",
    summary: "Ask all questions of an evaluation",
    description:
      "It runs in the background, for the caller and from their budgets: get the run by its id. " +
      "409 while another run of the evaluation goes on, or without questions.",
    body: RunInput,
    response: Run,
    status: 202,
    refusals: [409],
    handle: ({ actor, params, body }) => {
      const run = startRun(actor, params.id, body);
      return accepted(run, `/api/evaluation-runs/${run.id}`);
    },
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluation-runs/{id}",
    summary: "Get a run with the figures of each subject",
    response: Run,
    handle: ({ actor, params }) => readRun(actor, params.id),
  }),
  endpoint({
    ...write,
    method: "DELETE",
    path: "/api/evaluation-runs/{id}",
    summary: "Delete a run with its answers",
    status: 204,
    handle: ({ actor, params }) => {
      deleteRun(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluation-runs/{id}/results",
    summary: "List the answers of a run, question by question",
    query: ResultsQuery,
    response: z.array(ResultRow),
    handle: ({ actor, params, query }) => pageResults(actor, params.id, query.after, query.limit),
  }),
  endpoint({
    ...read,
    method: "GET",
    path: "/api/evaluation-runs/{id}/export",
    summary: "Export the answers of a run as CSV",
    produces: "text/csv",
    handle: ({ actor, params }) => textFile(exportRun(actor, params.id)),
  }),
  endpoint({
    ...write,
    method: "POST",
    path: "/api/evaluation-runs/{id}/stop",
    summary: "Stop a run; its answers are kept",
    status: 204,
    handle: ({ actor, params }) => {
      stopRun(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    ...write,
    method: "POST",
    path: "/api/evaluation-runs/{id}/resume",
    summary: "Ask what a run lacks, and what ended with an error",
    body: RunInput.pick({ limit: true }),
    status: 204,
    refusals: [409],
    handle: ({ actor, params, body }) => {
      resumeRun(actor, params.id, body);
      return nothing();
    },
  }),
]);
