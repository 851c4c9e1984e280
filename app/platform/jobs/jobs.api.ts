import { z } from "zod";
import { endpoint, endpoints, page } from "~/platform/endpoint/endpoint.shared";
import { JobId, JobKindView, JobQuery, JobView } from "./jobs.schema";
import { cancelJob, listJobKinds, listJobPage, retryJob } from "./jobs.service.server";

export const jobsApi = endpoints("System", [
  endpoint({
    method: "POST",
    path: "/api/system/jobs/{id}/cancel",
    summary: "Cancel a queued or running job",
    access: "settings.manage",
    params: JobId,
    response: JobView,
    handle: ({ actor, params }) => cancelJob(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/system/jobs/kinds",
    summary: "List kinds of background jobs with queued, running and failed counts",
    access: "settings.manage",
    response: z.array(JobKindView),
    handle: ({ actor }) => listJobKinds(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/system/jobs/{id}/retry",
    summary: "Retry a failed job",
    access: "settings.manage",
    params: JobId,
    response: JobView,
    handle: ({ actor, params }) => retryJob(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/system/jobs",
    summary: "List background jobs, newest first",
    access: "settings.manage",
    query: JobQuery,
    response: z.array(JobView),
    handle: ({ actor, query }) => {
      const { jobs, next } = listJobPage(actor, query);
      return page(jobs, next);
    },
  }),
]);
