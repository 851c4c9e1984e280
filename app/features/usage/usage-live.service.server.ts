import { onCommit } from "~/core/db.server";
import { publish } from "~/features/events/events.service.server";
import { takeChangedOrganisations } from "./sum-usage.server";

/** Reports recorded calls to the live stream. @returns the way to stop */
export function startUsageEvents(): () => void {
  takeChangedOrganisations();
  return onCommit(() => {
    for (const orgId of takeChangedOrganisations()) publish({ topic: "usage", orgId });
  });
}
