import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/read-settings.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import { listProviderOrgs, type ProviderRow } from "./models.repo.server";
import { hasRequiredKey } from "./provider-call.server";
import { enabledProviders } from "./provider-models.server";
import { healthOf } from "./router/health.server";

const RECORD = "provider-outages";
/** Consecutive failed checks before an incident is reported. */
const FAILED_CHECKS = 2;

/** Start of each incident, in ms. */
const Outages = z.record(z.string(), z.number()).catch({});

const failedChecks = new Map<string, number>();

function isDown({ id }: ProviderRow): boolean {
  const health = healthOf(id);
  if (health.currentPause()?.reason === "breaker open") return true;
  const { succeededAt, failedAt } = health.lastResults;
  const failed = failedAt > succeededAt ? (failedChecks.get(id) ?? 0) + 1 : 0;
  failedChecks.set(id, failed);
  return failed >= FAILED_CHECKS;
}

function announce(tx: Db, row: ProviderRow, since: number, isOver: boolean): void {
  const minutes = Math.max(1, Math.round((now() - since) / 60_000));
  const { lastFailure } = healthOf(row.id);
  const body = isOver ? `It was down for ${minutes} min.` : lastFailure?.message;
  notify(tx, {
    event: "provider.down",
    organisationId: row.orgId,
    audience: { permission: "providers.manage" },
    title: isOver ? `${row.displayName} recovered` : `${row.displayName} is down`,
    ...(body ? { body } : {}),
    link: "/settings/providers",
    dedupeKey: `${row.id}:${since}${isOver ? ":over" : ""}`,
  });
}

/** Notifies of outages and recoveries since the last check; survives restarts. */
export function reportIncidents(): void {
  for (const orgId of listProviderOrgs(db())) {
    const openOutages = Outages.parse(findOrgRecord(db(), orgId, RECORD));
    const outages: Record<string, number> = {};
    const changes: { row: ProviderRow; since: number; isOver: boolean }[] = [];
    for (const { row, type } of enabledProviders(orgId)) {
      if (!hasRequiredKey(row, type)) continue;
      const since = openOutages[row.id];
      const { succeededAt, failedAt } = healthOf(row.id).lastResults;
      // Health is unknown right after a start.
      const down = isDown(row) || (since !== undefined && succeededAt === 0 && failedAt === 0);
      if (down) outages[row.id] = since ?? now();
      if (down === (since !== undefined)) continue;
      changes.push({ row, since: since ?? now(), isOver: !down });
    }
    if (JSON.stringify(openOutages) === JSON.stringify(outages)) continue;
    transaction((tx) => {
      saveOrgRecord(tx, orgId, RECORD, outages);
      for (const { row, since, isOver } of changes) announce(tx, row, since, isOver);
    });
  }
}
