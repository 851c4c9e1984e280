import { endpoint, resource } from "~/http/resource.server";
import { JobId, JobView } from "~/platform/jobs/jobs.schema";
import { cancelJob } from "~/platform/jobs/jobs.service.server";

const route = resource({
  path: "/api/system/jobs/{id}/cancel",
  tag: "System",
  POST: endpoint({
    summary: "Cancel a queued or running job",
    access: "settings.manage",
    params: JobId,
    response: JobView,
    handle: ({ actor, params }) => cancelJob(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
