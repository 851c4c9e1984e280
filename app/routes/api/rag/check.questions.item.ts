import { endpoint, reply, resource } from "~/http/resource.server";
import {
  CheckQuestion,
  CheckQuestionId,
  CheckQuestionPatch,
} from "~/work/search/evaluation/retrieval-check.schema";
import {
  changeQuestion,
  deleteQuestion,
  readQuestion,
} from "~/work/search/evaluation/retrieval-questions.service.server";

const route = resource({
  path: "/api/rag/check/questions/{id}",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "Get a saved question",
    access: "documents.search",
    params: CheckQuestionId,
    response: CheckQuestion,
    handle: ({ actor, params }) => readQuestion(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Change a saved question",
    access: "documents.write",
    params: CheckQuestionId,
    body: CheckQuestionPatch,
    response: CheckQuestion,
    handle: ({ actor, params, body }) => changeQuestion(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Delete a saved question",
    access: "documents.write",
    params: CheckQuestionId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteQuestion(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
