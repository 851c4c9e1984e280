import { z } from "zod";
import { accepted, created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import {
  CheckQuestion,
  CheckQuestionId,
  CheckQuestionInput,
  CheckQuestionPatch,
  CheckRun,
  CheckRunDetail,
  CheckRunsQuery,
} from "./retrieval-check.schema";
import { listRuns, readRun, startCheck } from "./retrieval-check.service.server";
import {
  addQuestion,
  changeQuestion,
  deleteQuestion,
  listQuestions,
  readQuestion,
} from "./retrieval-questions.service.server";

export const checksApi = endpoints("Retrieval check", [
  endpoint({
    method: "GET",
    path: "/api/rag/check/questions/{id}",
    summary: "Get a saved question",
    access: "documents.search",
    params: CheckQuestionId,
    response: CheckQuestion,
    handle: ({ actor, params }) => readQuestion(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/rag/check/questions/{id}",
    summary: "Change a saved question",
    access: "documents.write",
    params: CheckQuestionId,
    body: CheckQuestionPatch,
    response: CheckQuestion,
    handle: ({ actor, params, body }) => changeQuestion(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/rag/check/questions/{id}",
    summary: "Delete a saved question",
    access: "documents.write",
    params: CheckQuestionId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteQuestion(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/check/questions",
    summary: "List saved questions, oldest first",
    access: "documents.search",
    response: z.array(CheckQuestion),
    handle: ({ actor }) => listQuestions(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/check/questions",
    summary: "Save a question with its expected passages",
    access: "documents.write",
    body: CheckQuestionInput,
    response: CheckQuestion,
    status: 201,
    handle: ({ actor, body }) => {
      const question = addQuestion(actor, body);
      return created(question, `/api/rag/check/questions/${question.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/check/runs/{id}",
    summary: "Get a check with the result of each question",
    access: "documents.search",
    params: CheckQuestionId,
    response: CheckRunDetail,
    handle: ({ actor, params }) => readRun(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/check/runs",
    summary: "List checks, newest first",
    access: "documents.search",
    query: CheckRunsQuery,
    response: z.array(CheckRun),
    handle: ({ actor, query }) => listRuns(actor, query.limit),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/check/runs",
    summary: "Run a check with all saved questions",
    description:
      "Checks the current index by keywords, vectors and both. It runs in the background: " +
      "get the check by its id. 409 while another check runs or without questions.",
    access: "documents.write",
    response: CheckRun,
    status: 202,
    handle: ({ actor }) => {
      const run = startCheck(actor);
      return accepted(run, `/api/rag/check/runs/${run.id}`);
    },
  }),
]);
