import { now, steadyNow } from "~/core/clock.server";
import { exponentialBackoff, MINUTE } from "~/core/durations";
import { kept } from "~/core/process.server";

/** Weight of the newest value in the moving average. */
const NEWEST_WEIGHT = 0.2;
/** Age after which a latency is ignored, in ms. */
const LATENCY_MAX_AGE = 10 * 60_000;
const WINDOW_MINUTES = 15;
const CONSECUTIVE_FAILURES = 5;
/** Minimum calls per minute, and the failure share that opens the breaker. */
const MIN_CALLS = 10;
const FAILURE_SHARE = 0.5;
/** Delays of the open breaker, doubling, in ms. */
const BREAKER_DELAY = { first: 15_000, max: 5 * 60_000 };
/** Delay after a rejected key or exhausted quota, in ms. */
const REFUSED_MS = 60_000;

interface Minute {
  at: number;
  ok: number;
  failed: number;
}

/** Measured by calls and probes, in memory. */
export class ProviderHealth {
  active = 0;
  /** With a message for users, without the provider's own text. */
  lastFailure: { at: number; message: string } | undefined;
  lastSuccessAt: number | undefined;
  /** Last successful probe with its duration in ms; undefined after a failure. */
  lastProbe: { at: number; ms: number } | undefined;
  private configKey = "";
  private minutes: Minute[] = [];
  private readonly latencies = new Map<string, { ms: number; at: number }>();
  private consecutiveFailures = 0;
  /** This minute's results since the breaker closed. */
  private sinceClosed: Minute = { at: 0, ok: 0, failed: 0 };
  private opened = 0;
  private openUntil = 0;
  private refusedUntil = 0;
  private probing = false;
  /** Set by Retry-After. */
  private coolDownUntil = 0;

  private minute(): Minute {
    const at = Math.floor(now() / MINUTE);
    const last = this.minutes.at(-1);
    if (last?.at === at) return last;
    const bucket = { at, ok: 0, failed: 0 };
    this.minutes = [...this.minutes.filter((minute) => minute.at > at - WINDOW_MINUTES), bucket];
    return bucket;
  }

  /** True if the provider recently rejected its key or ran out of quota; it is tried last. */
  get isRefused(): boolean {
    return this.refusedUntil > steadyNow();
  }

  /** Why and how long (ms) the provider is paused. */
  currentPause(): { reason: "breaker open" | "rate limited"; remainingMs: number } | undefined {
    const at = steadyNow();
    if (this.openUntil > at) return { reason: "breaker open", remainingMs: this.openUntil - at };
    // Half open: one call probes.
    if (this.openUntil > 0 && this.probing) return { reason: "breaker open", remainingMs: 1000 };
    if (this.coolDownUntil > at) return { reason: "rate limited", remainingMs: this.coolDownUntil - at };
    return undefined;
  }

  private countSinceClosed(result: "ok" | "failed"): Minute {
    const { at } = this.minute();
    if (this.sinceClosed.at !== at) this.sinceClosed = { at, ok: 0, failed: 0 };
    this.sinceClosed[result] += 1;
    return this.sinceClosed;
  }

  startCall(): () => void {
    this.active += 1;
    const isProbe = this.openUntil > 0;
    if (isProbe) this.probing = true;
    return () => {
      this.active -= 1;
      if (isProbe) this.probing = false;
    };
  }

  succeed(): void {
    if (this.openUntil > 0) this.sinceClosed.failed = 0;
    this.minute().ok += 1;
    this.countSinceClosed("ok");
    this.lastSuccessAt = now();
    this.consecutiveFailures = 0;
    this.opened = 0;
    this.openUntil = 0;
    this.refusedUntil = 0;
  }

  /** @param kind `refused` puts it behind the others for a minute, `healthy` only counts */
  fail(message: string, kind: "unhealthy" | "refused" | "healthy"): void {
    this.minute().failed += 1;
    this.lastFailure = { at: now(), message };
    if (kind === "refused") this.refusedUntil = steadyNow() + REFUSED_MS;
    if (kind !== "unhealthy") return;
    this.consecutiveFailures += 1;
    const minute = this.countSinceClosed("failed");
    const total = minute.ok + minute.failed;
    const halfOpen = this.openUntil > 0;
    if (
      halfOpen ||
      this.consecutiveFailures >= CONSECUTIVE_FAILURES ||
      (total >= MIN_CALLS && minute.failed / total >= FAILURE_SHARE)
    ) {
      this.open(exponentialBackoff(this.opened, BREAKER_DELAY));
    }
  }

  private open(ms: number): void {
    this.opened += 1;
    // Jittered by a fifth, so that consoles don't retry at once.
    this.openUntil = steadyNow() + ms * (0.9 + Math.random() * 0.2);
  }

  /** A probe succeeded: the breaker may close after its delay. */
  succeedProbe(ms: number): void {
    this.lastProbe = { at: now(), ms };
  }

  /** A failed probe isn't counted as a call. */
  failProbe(message: string): void {
    this.lastProbe = undefined;
    this.lastFailure = { at: now(), message };
  }

  restore(past: {
    at: number;
    ok: boolean;
    model: string;
    firstTokenMs: number | null;
    message: string;
  }): void {
    if (past.ok) this.lastSuccessAt = Math.max(this.lastSuccessAt ?? 0, past.at);
    else if ((this.lastFailure?.at ?? 0) < past.at) this.lastFailure = { at: past.at, message: past.message };
    if (past.firstTokenMs === null) return;
    const previous = this.latencies.get(past.model);
    if (!previous) this.latencies.set(past.model, { ms: past.firstTokenMs, at: past.at });
  }

  /** After a configuration change the next call may try at once. */
  resetOnChange(configKey: string): void {
    if (this.configKey === configKey) return;
    this.configKey = configKey;
    this.openUntil = Math.min(this.openUntil, steadyNow());
    this.coolDownUntil = 0;
    this.refusedUntil = 0;
  }

  coolDown(ms: number): void {
    this.coolDownUntil = Math.max(this.coolDownUntil, steadyNow() + ms);
  }

  measure(model: string, ms: number): void {
    const before = this.latencies.get(model);
    const mean = before ? before.ms + NEWEST_WEIGHT * (ms - before.ms) : ms;
    // Bounded, since ids come from outside.
    if (!before && this.latencies.size >= 500) this.latencies.clear();
    this.latencies.set(model, { ms: mean, at: now() });
  }

  /** Mean time to first token in ms; undefined if not recent. */
  latencyOf(model: string): number | undefined {
    const latency = this.latencies.get(model);
    return latency && now() - latency.at < LATENCY_MAX_AGE ? latency.ms : undefined;
  }

  /** The last latency of any model in ms, however old. */
  get latency(): number | undefined {
    let newest: { ms: number; at: number } | undefined;
    for (const entry of this.latencies.values()) if (!newest || entry.at >= newest.at) newest = entry;
    return newest?.ms;
  }

  get lastResults(): { succeededAt: number; failedAt: number } {
    return {
      succeededAt: Math.max(this.lastSuccessAt ?? 0, this.lastProbe?.at ?? 0),
      failedAt: this.lastFailure?.at ?? 0,
    };
  }

  /** Of the last 15 minutes. */
  get results(): { ok: number; failed: number } {
    const since = Math.floor(now() / MINUTE) - WINDOW_MINUTES;
    let [ok, failed] = [0, 0];
    for (const minute of this.minutes) {
      if (minute.at <= since) continue;
      ok += minute.ok;
      failed += minute.failed;
    }
    return { ok, failed };
  }
}

const all = () => kept("health of providers", () => new Map<string, ProviderHealth>());

export function healthOf(providerId: string): ProviderHealth {
  let health = all().get(providerId);
  if (!health) {
    health = new ProviderHealth();
    all().set(providerId, health);
  }
  return health;
}
