import { z } from "zod";
import type { Actor } from "~/core/actor";
import { forEachConcurrently } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findOrgRecord, readSetting, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { notify } from "~/team/notifications/notify.service.server";
import { readProviderCalls, readProviderToday } from "~/team/usage/usage.service.server";
import { countOf } from "~/ui/format";
import { explainProviderError } from "./explain-provider-error.server";
import { listProviderOrgs, listProviderRows, type ProviderRow } from "./models.repo.server";
import type { ProviderStatus } from "./models.schema";
import {
  callFor,
  enabledProviders,
  entryOf,
  explainMissingKey,
  hasRequiredKey,
  listedModels,
  type ProviderEntry,
  readConfig,
} from "./provider-entry.server";
import { limiterOf } from "./router/concurrency-limiter.server";
import { healthOf } from "./router/health.server";

const DASH = "—";
const WARNING_FAILURE_RATE = 0.2;
/** How long a result counts as current, in ms. */
const RECENT_MS = 5 * 60_000;
const PROBE_OPTIONS = { firstByteMs: 5000, betweenBytesMs: 5000, retries: 0 };
const MAX_CONCURRENT_PROBES = 4;
/** Period of recorded results, in ms. */
const CALLS_WINDOW_MS = 60 * 60_000;
/** As `classifyFailure` judges them. */
const CALLER_ERRORS = new Set(["provider_rejected", "provider_model", "invalid"]);

const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

type State = Pick<ProviderStatus, "status" | "reason">;

function stateOf(row: ProviderRow): State {
  const health = healthOf(row.id);
  const entry = entryOf(row);
  const offline = (reason: string): State => ({ status: "offline", reason });
  if (!row.enabled) return offline("It is disabled.");
  if (!entry) return offline("This version of the console doesn't know its type.");
  const lacksKey = explainMissingKey(entry);
  if (lacksKey !== undefined) return offline(lacksKey);
  const failure = health.lastFailure?.message ?? "Its last calls failed.";
  const pause = health.currentPause();
  if (health.isRefused || pause?.reason === "breaker open") return offline(failure);
  const { succeededAt, failedAt } = health.lastResults;
  if (succeededAt === 0 && failedAt === 0)
    return { status: "unknown", reason: "It wasn't called or checked since the console started." };
  if (succeededAt === 0) return offline(failure);
  if (pause || failedAt > succeededAt) return { status: "warning", reason: failure };
  const { ok, failed } = health.results;
  const isFailing = ok + failed > 0 && failed / (ok + failed) >= WARNING_FAILURE_RATE;
  return isFailing
    ? { status: "warning", reason: `${failed} of ${countOf(ok + failed, "call")} failed lately: ${failure}` }
    : { status: "online", reason: null };
}

function usageText(usage: { calls: number; costMicros: number | null } | undefined): string {
  if (!usage) return DASH;
  const calls = `${countOf(usage.calls, "call")} today`;
  return usage.costMicros === null ? calls : `${calls}, ${money.format(usage.costMicros / 1e6)}`;
}

export function listProviderStatus(actor: Actor): ProviderStatus[] {
  authorise(actor, "screens.read");
  return listProviderRows(db(), actor.orgId).map((row) => {
    const health = healthOf(row.id);
    const { ok, failed } = health.results;
    const pause = health.currentPause();
    // Models added for a whole provider type belong to no single provider.
    const listed = listedModels(row).map(({ id }) => id);
    const models = new Set([...(readConfig(row).models ?? []), ...listed]).size;
    return {
      id: row.id,
      name: row.displayName,
      provider: row.type,
      models: countOf(models, "model"),
      ...stateOf(row),
      latency: health.latency === undefined ? DASH : `${Math.round(health.latency)} ms`,
      usage: usageText(readProviderToday(actor, row.id)),
      enabled: row.enabled,
      latencyMs: health.latency ?? null,
      probeMs: health.lastProbe?.ms ?? null,
      calls: ok + failed,
      errorRate: ok + failed === 0 ? null : failed / (ok + failed),
      lastFailure: health.lastFailure
        ? { at: new Date(health.lastFailure.at).toISOString(), message: health.lastFailure.message }
        : null,
      active: health.active,
      waiting: limiterOf(row.id, readConfig(row)).length,
      pausedUntil: pause ? new Date(now() + pause.remainingMs).toISOString() : null,
    };
  });
}

async function probe(entry: ProviderEntry): Promise<void> {
  const { row, type } = entry;
  const health = healthOf(row.id);
  const started = performance.now();
  try {
    const call = callFor(entry, PROBE_OPTIONS);
    await (type.probe ? type.probe(call) : type.listModels(call));
    health.succeedProbe(Math.round(performance.now() - started));
  } catch (error) {
    health.failProbe(explainProviderError(error, { provider: row.displayName }).message);
  }
}

export async function probeProviders(): Promise<void> {
  const due = listProviderOrgs(db()).flatMap((orgId) => {
    if (!readSetting(orgId, "monitoring.healthChecks")) return [];
    return enabledProviders(orgId).filter((entry) => {
      const { succeededAt, failedAt } = healthOf(entry.row.id).lastResults;
      return hasRequiredKey(entry) && now() - (failedAt > succeededAt ? 0 : succeededAt) >= RECENT_MS;
    });
  });
  await forEachConcurrently(due, MAX_CONCURRENT_PROBES, probe);
}

/** Restores results after a restart, for "fastest" and the screens. */
export function restoreHealth(): void {
  for (const orgId of listProviderOrgs(db())) {
    for (const { row } of enabledProviders(orgId)) {
      for (const { outcome, errorCode, ...call } of readProviderCalls(row.id, now() - CALLS_WINDOW_MS)) {
        if (outcome === "ok" || (outcome === "error" && !CALLER_ERRORS.has(errorCode ?? ""))) {
          healthOf(row.id).restore({
            ...call,
            ok: outcome === "ok",
            message: "A call failed before the last restart.",
          });
        }
      }
    }
  }
}

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
    for (const { row } of enabledProviders(orgId).filter(hasRequiredKey)) {
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
