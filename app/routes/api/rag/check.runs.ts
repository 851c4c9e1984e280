import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { CheckRun, CheckRunsQuery } from "~/work/search/evaluation/retrieval-check.schema";
import { listRuns, startCheck } from "~/work/search/evaluation/retrieval-check.service.server";

const route = resource({
  path: "/api/rag/check/runs",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "List checks, newest first",
    access: "documents.search",
    query: CheckRunsQuery,
    response: z.array(CheckRun),
    handle: ({ actor, query }) => listRuns(actor, query.limit),
  }),
  POST: endpoint({
    summary: "Run a check with all saved questions",
    description:
      "Checks the current index and one being built, by keywords, vectors and both. It runs in the background: " +
      "get the check by its id. 409 while another check runs or without questions.",
    access: "documents.write",
    response: CheckRun,
    status: 202,
    handle: ({ actor }) => {
      const run = startCheck(actor);
      return reply(run, { status: 202, headers: { Location: `/api/rag/check/runs/${run.id}` } });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
