import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { Run, RunQuery } from "~/work/workflows/runs.schema";
import { pageRuns } from "~/work/workflows/runs.service.server";

const route = resource({
  path: "/api/runs",
  tag: "Workflows",
  GET: endpoint({
    summary: "List runs, newest first",
    access: "screens.read",
    query: RunQuery,
    response: z.array(Run),
    handle: ({ actor, query, request }) => {
      const { runs, next } = pageRuns(actor, query);
      return paged(request, runs, next);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
