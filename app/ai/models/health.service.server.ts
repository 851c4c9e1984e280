import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { readProviderCalls, readProviderToday } from "~/team/usage/usage.service.server";
import { explainProviderError } from "./explain-provider-error.server";
import type { ProviderStatus } from "./health.schema";
import { listProviderOrgs, listProviderRows, type ProviderRow } from "./models.repo.server";
import { callFor, hasRequiredKey, readConfig } from "./provider-call.server";
import { enabledProviders, listedModels, type ProviderEntry } from "./provider-models.server";
import { findProviderType } from "./providers/index.server";
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

const count = new Intl.NumberFormat("en-US");
const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

function statusOf(row: ProviderRow): ProviderStatus["status"] {
  const health = healthOf(row.id);
  const type = findProviderType(row.type);
  if (!row.enabled || !type || !hasRequiredKey(row, type)) return "offline";
  if (health.isRefused || health.currentPause()?.reason === "breaker open") return "offline";
  const { succeededAt, failedAt } = health.lastResults;
  if (succeededAt === 0 && failedAt === 0) return "unknown";
  if (succeededAt === 0) return "offline";
  const { ok, failed } = health.results;
  const isFailing = ok + failed > 0 && failed / (ok + failed) >= WARNING_FAILURE_RATE;
  return isFailing || failedAt > succeededAt || health.currentPause() ? "warning" : "online";
}

function usageText(usage: { calls: number; costMicros: number | null } | undefined): string {
  if (!usage) return DASH;
  const calls = `${count.format(usage.calls)} ${usage.calls === 1 ? "call" : "calls"} today`;
  return usage.costMicros === null ? calls : `${calls}, ${money.format(usage.costMicros / 1e6)}`;
}

/** By priority. */
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
      models: models === 1 ? "1 model" : `${count.format(models)} models`,
      status: statusOf(row),
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

async function probe({ row, type }: ProviderEntry): Promise<void> {
  const health = healthOf(row.id);
  const started = performance.now();
  try {
    const call = callFor(row, type, PROBE_OPTIONS);
    await (type.probe ? type.probe(call) : type.listModels(call));
    health.succeedProbe(Math.round(performance.now() - started));
  } catch (error) {
    health.failProbe(explainProviderError(error, { provider: row.displayName }).message);
  }
}

export async function probeProviders(): Promise<void> {
  const due = listProviderOrgs(db()).flatMap((orgId) => {
    if (!readSetting(orgId, "monitoring.healthChecks")) return [];
    return enabledProviders(orgId).filter(({ row, type }) => {
      const { succeededAt, failedAt } = healthOf(row.id).lastResults;
      return hasRequiredKey(row, type) && now() - (failedAt > succeededAt ? 0 : succeededAt) >= RECENT_MS;
    });
  });
  const worker = async () => {
    for (let next = due.shift(); next; next = due.shift()) await probe(next);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_PROBES }, worker));
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
