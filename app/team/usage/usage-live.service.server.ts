import { onConfigChanged } from "~/core/config-cache.server";
import { onCommit, transaction } from "~/core/db.server";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { takeChangedOrganisations } from "./sum-usage.server";
import { sumUsageJob } from "./usage.jobs.server";

export function startUsageEvents(): () => void {
  takeChangedOrganisations();
  const stops = [
    onCommit("live usage", () => {
      for (const orgId of takeChangedOrganisations()) publish({ topic: "usage", orgId });
    }),
    onConfigChanged(["settings:organisation"], () => transaction((tx) => enqueue(tx, sumUsageJob, {}))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
