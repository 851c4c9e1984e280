import { JobId, JobView } from "~/features/jobs/jobs.schema";
import { retryJob } from "~/features/jobs/jobs.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
