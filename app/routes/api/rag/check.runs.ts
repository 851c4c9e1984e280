import { z } from "zod";
import { CheckRun, CheckRunsQuery } from "~/features/knowledge/retrieval-check.schema";
import { listRuns, startCheck } from "~/features/knowledge/retrieval-check.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/check/runs",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "What was measured, newest first; a check that is being made stands at the top",
    access: "documents.search",
    query: CheckRunsQuery,
    response: z.array(CheckRun),
    handle: ({ actor, query }) => listRuns(actor, query.limit),
  }),
  POST: endpoint({
    summary: "Begins to ask every saved question of the search",
    description:
      "Of the serving index and of one that is being built, by keywords, by vectors and by both. It goes on by " +
      "itself: read it again under its id. 409 while another one runs, and without questions.",
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
