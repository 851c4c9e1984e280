import { endpoint, resource } from "~/http/resource.server";
import { CheckQuestionId, CheckRunDetail } from "~/work/search/evaluation/retrieval-check.schema";
import { readRun } from "~/work/search/evaluation/retrieval-check.service.server";

const route = resource({
  path: "/api/rag/check/runs/{id}",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "Get a check with the result of each question",
    access: "documents.search",
    params: CheckQuestionId,
    response: CheckRunDetail,
    handle: ({ actor, params }) => readRun(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
