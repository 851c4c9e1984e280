import { z } from "zod";
import { JobKindView } from "~/features/jobs/jobs.schema";
import { listJobKinds } from "~/features/jobs/jobs.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/jobs/kinds",
  tag: "System",
  GET: endpoint({
    summary: "List kinds of background jobs with queued, running and failed counts",
    access: "settings.manage",
    response: z.array(JobKindView),
    handle: ({ actor }) => listJobKinds(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
