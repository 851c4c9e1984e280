import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { installationOrgId } from "~/platform/settings/read-settings.service.server";
import { notify } from "./notify.service.server";

/** Tells who reads the whole audit log that it is broken, once a day for each fault. */
export function notifyFault(fault: string, message: string): void {
  const orgId = installationOrgId();
  if (orgId === undefined) return;
  transaction((tx) =>
    notify(tx, {
      event: "security",
      organisationId: orgId,
      audience: { permission: "audit.all" },
      title: "The audit log is broken",
      body: message,
      link: "/audit",
      dedupeKey: `audit:${fault}:${Math.floor(now() / DAY)}`,
    }),
  );
}
