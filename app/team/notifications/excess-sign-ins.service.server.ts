import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { installationOrgId } from "~/platform/settings/read-settings.service.server";
import { onExcessAttempt } from "~/team/members/sign-in.service.server";
import { notify } from "./notify.service.server";

/** Reports repeated failed sign-ins hourly per account. @returns a stop function */
export function reportExcessSignIns(): () => void {
  return onExcessAttempt(({ account, address }) => {
    const organisationId = installationOrgId();
    if (organisationId === undefined) return;
    transaction((tx) =>
      notify(tx, {
        event: "security",
        organisationId,
        audience: { permission: "settings.manage" },
        title: "Repeated failed sign-ins",
        body: `${account ? `Account: ${account.email}` : "The account doesn't exist."}\nAddress: ${address}`,
        link: "/audit",
        dedupeKey: `sign-in:${account?.id ?? "unknown"}:${Math.floor(now() / HOUR)}`,
      }),
    );
  });
}
