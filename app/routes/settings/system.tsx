import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { FailedJobs } from "~/features/jobs/components/failed-jobs";
import { JobKinds } from "~/features/jobs/components/job-kinds";
import { listJobKinds, listJobPage, retryJob } from "~/features/jobs/jobs.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { readSystem } from "~/features/settings/system.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";

const HERE = "/settings/system";
/** Failed jobs on the screen; the API lists all. */
const FAILED_SHOWN = 50;

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({
    system: readSystem(actor),
    kinds: listJobKinds(actor),
    failed: listJobPage(actor, { state: "failed", limit: FAILED_SHOWN }).jobs,
  }));
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "settings.manage");
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    if (intent !== "retry") return refuseIntent();
    return orToast(HERE, "Couldn't retry", context, () => {
      const { title } = retryJob(actor, id);
      return redirectWithToast(HERE, { kind: "success", title: `Queued again: ${title}` }, context);
    });
  });
}

export default function System() {
  const { system, kinds, failed } = useLoaderData<typeof loader>();
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  return (
    <div className="flex flex-col gap-4">
      <FactsCard
        title="System"
        description="What this console runs on."
        facts={[
          ["Node.js", system.node],
          ["SQLite", system.sqlite],
          ["Data folder", system.dataDir],
          ["Database", megabytes(system.databaseBytes)],
          ["Memory in use", megabytes(system.memoryBytes)],
          ["Audit trail", system.auditProblem ?? "Complete up to its newest entry"],
        ]}
      />
      <JobKinds kinds={kinds} />
      <FailedJobs jobs={failed} />
    </div>
  );
}
