import { useLoaderData } from "@remix-run/react";
import { ErrorReports } from "~/features/errors/components/error-reports";
import { clearErrors, listErrors } from "~/features/errors/errors.service.server";
import { useLiveTopics } from "~/features/events/components/use-live-topics";
import { FailedJobs } from "~/features/jobs/components/failed-jobs";
import { JobKinds } from "~/features/jobs/components/job-kinds";
import { listJobKinds, listJobPage, retryJob } from "~/features/jobs/jobs.service.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { readSetting } from "~/features/settings/read-settings.service.server";
import { readSystem } from "~/features/settings/system.service.server";
import { intent, screen } from "~/http/screen.server";
import { titled } from "~/ui/titled";

export const meta = titled("System", "Settings");

/** Failed jobs on the screen; the API lists all. */
const FAILED_SHOWN = 50;

const { loader, action } = screen({
  access: "settings.manage",
  load: ({ actor }) => ({
    system: readSystem(actor),
    kinds: listJobKinds(actor),
    failed: listJobPage(actor, { state: "failed", limit: FAILED_SHOWN }).jobs,
    errors: listErrors(actor),
    keepsErrors: readSetting(actor.orgId, "monitoring.errorReporting"),
  }),
  actions: {
    retry: intent({
      access: "settings.manage",
      target: "id",
      run: ({ actor, target }) => retryJob(actor, target),
      done: ({ title }) => `Retrying: ${title}`,
      failed: { toast: "Couldn't retry" },
    }),
    "clear-errors": intent({
      access: "settings.manage",
      run: ({ actor }) => clearErrors(actor),
      done: "Error reports cleared",
      failed: { toast: "Couldn't clear the error reports" },
    }),
  },
});

export { action, loader };

export default function System() {
  const { system, kinds, failed, errors, keepsErrors } = useLoaderData<typeof loader>();
  useLiveTopics(["jobs"]);
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  return (
    <div className="flex flex-col gap-4">
      <FactsCard
        title="System"
        description="Check the versions and storage of this server"
        facts={[
          ["Node.js", system.node],
          ["SQLite", system.sqlite],
          ["Data folder", system.dataDir],
          ["Database", megabytes(system.databaseBytes)],
          ["Memory in use", megabytes(system.memoryBytes)],
          ["Audit trail", system.auditProblem ?? "Intact"],
        ]}
      />
      <JobKinds kinds={kinds} />
      <FailedJobs jobs={failed} />
      <ErrorReports errors={errors} on={keepsErrors} />
    </div>
  );
}
