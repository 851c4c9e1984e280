import { endpoint, resource } from "~/http/resource.server";
import { JobId, JobView } from "~/platform/jobs/jobs.schema";
import { retryJob } from "~/platform/jobs/jobs.service.server";

const route = resource({
  path: "/api/system/jobs/{id}/retry",
  tag: "System",
  POST: endpoint({
    summary: "Retry a failed job",
    access: "settings.manage",
    params: JobId,
    response: JobView,
    handle: ({ actor, params }) => retryJob(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
