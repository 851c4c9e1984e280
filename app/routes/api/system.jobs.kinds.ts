import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { JobKindView } from "~/platform/jobs/jobs.schema";
import { listJobKinds } from "~/platform/jobs/jobs.service.server";

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
