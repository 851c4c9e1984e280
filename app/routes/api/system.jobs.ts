import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { JobQuery, JobView } from "~/platform/jobs/jobs.schema";
import { listJobPage } from "~/platform/jobs/jobs.service.server";

const route = resource({
  path: "/api/system/jobs",
  tag: "System",
  GET: endpoint({
    summary: "List background jobs, newest first",
    access: "settings.manage",
    query: JobQuery,
    response: z.array(JobView),
    handle: ({ actor, query, request }) => {
      const { jobs, next } = listJobPage(actor, query);
      return paged(request, jobs, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
