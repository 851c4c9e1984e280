import { JobId, JobView } from "~/features/jobs/jobs.schema";
import { cancelJob } from "~/features/jobs/jobs.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
