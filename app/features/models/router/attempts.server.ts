import { setTimeout as delay } from "node:timers/promises";
import type { Actor } from "~/core/actor";
import { providerBackoff } from "~/core/backoff";
import { AppError } from "~/core/errors";
import { readSettings } from "~/features/settings/read-settings.service.server";
import type { ModelKind, RouteAttempt, RouteRecord } from "../models.schema";
import { keyOf } from "../provider-call.server";
import { explainProviderError } from "../provider-errors.server";
import type { Candidate } from "./candidates.server";
import { limiterOf } from "./concurrency-limiter.server";
import { classifyFailure, type Failure } from "./failure.server";
import { healthOf } from "./health.server";
import {
  type CallPurpose,
  type CallSize,
  type CallTokens,
  type Spending,
  startSpending,
  USUAL_OUTPUT,
} from "./spending.server";
import { type RouteTarget, targetOf } from "./targets.server";

export interface RouteRequest {
  actor: Actor;
  model: string;
  kind?: ModelKind;
  signal?: AbortSignal | undefined;
  /** Filters providers, such as by protocol. */
  accepts?: (target: RouteTarget) => boolean;
  purpose?: CallPurpose | undefined;
  /** Estimated tokens; only called with a budget. */
  size?: (target: RouteTarget) => CallSize;
}

/** Result of a routed call. Times in ms. */
export interface CallEnd {
  outcome: "ok" | "stopped" | "error";
  firstTokenMs?: number | null | undefined;
  error?: unknown;
  /** Undefined figures weren't reported. */
  tokens?: CallTokens | undefined;
  written?: number | undefined;
}

export interface Routed<T> {
  value: T;
  target: RouteTarget;
  /** Releases the slot, records health and settles budgets. Call exactly once, also for aborted calls. */
  end(result: CallEnd): void;
}

/** Maximum wait for a rate-limited provider, in ms. */
const MAX_WAIT = 20_000;

const UNKNOWN_SIZE: CallSize = { input: USUAL_OUTPUT, output: USUAL_OUTPUT };

interface Tried<T> {
  routed?: Routed<T>;
  error?: AppError;
  failure?: Failure;
  /** Delay in ms before a retry; undefined without one. */
  againIn?: number;
}

export class Rounds<T> {
  /** Providers already counted as failed: a call's retries don't count again. */
  private readonly blamed = new Set<string>();
  private readonly timeout: number;
  private readonly retries: number;

  constructor(
    private readonly request: RouteRequest,
    private readonly record: RouteRecord,
    private readonly attempt: (target: RouteTarget) => Promise<T>,
  ) {
    const limits = readSettings(request.actor.orgId, "ai");
    this.timeout = limits.timeout;
    this.retries = limits.retryAttempts;
  }

  private note(
    { row, type, modelId }: Candidate,
    started: number,
    entry: Pick<RouteAttempt, "outcome"> & Partial<RouteAttempt>,
  ): void {
    const { displayName, id } = row;
    const durationMs = Math.round((performance.now() - started) * 10) / 10;
    this.record.attempts.push({
      providerId: id,
      providerType: type.value,
      provider: displayName,
      model: modelId,
      reason: null,
      code: null,
      durationMs,
      ...entry,
    });
  }

  private skip(candidate: Candidate, started: number, error: AppError): Tried<T> {
    this.note(candidate, started, { outcome: "skipped", reason: error.message, code: error.code });
    return { error };
  }

  /** Why the provider is unavailable. */
  private keptAway(candidate: Candidate): { error: AppError; againIn?: number } | undefined {
    const { row } = candidate;
    const health = healthOf(row.id);
    const away = health.away();
    if (!away) return undefined;
    const retryAfter = Math.ceil(away.forMs / 1000);
    if (away.why === "cooling") {
      const error = new AppError(
        "rate_limited",
        `${row.displayName} is rate limited. Retrying in ${retryAfter} s.`,
        { retryAfter },
      );
      return { error, ...(away.forMs <= MAX_WAIT ? { againIn: away.forMs } : {}) };
    }
    const last = health.lastFailure ? ` Last: ${health.lastFailure.message}` : "";
    return {
      error: new AppError(
        "provider_unavailable",
        `${row.displayName} is failing. Retrying in ${retryAfter} s.${last}`,
        { retryAfter },
      ),
    };
  }

  /** @throws AppError as `startSpending` */
  private startSpending(candidate: Candidate): Spending {
    const { actor, purpose, size } = this.request;
    const target = targetOf(candidate);
    return startSpending({
      actor,
      purpose,
      priced: { ...target, model: target.modelId, requestedModel: target.requestedModel },
      size: () => size?.(target) ?? UNKNOWN_SIZE,
    });
  }

  private begin(candidate: Candidate, spending: Spending): (result: CallEnd, isAnswered?: boolean) => void {
    const health = healthOf(candidate.row.id);
    const leave = health.begin();
    const limiter = limiterOf(candidate.row.id, candidate.config);
    let over = false;
    return ({ outcome, firstTokenMs, error, tokens, written }, isAnswered = true) => {
      if (over) return;
      over = true;
      if (isAnswered) spending.settle(tokens ?? {}, written);
      else spending.release();
      leave();
      limiter.release();
      if (typeof firstTokenMs === "number") health.measure(candidate.modelId, firstTokenMs);
      if (outcome === "ok") health.succeed();
      else if (outcome === "error") this.recordFailure(candidate, error, classifyFailure(error));
    };
  }

  /** @returns the error for the user */
  private recordFailure(candidate: Candidate, error: unknown, failure: Failure): AppError {
    const { row, modelId } = candidate;
    const health = healthOf(row.id);
    const explained = explainProviderError(error, { provider: row.displayName, model: modelId });
    if (failure.verdict === "aborted" || failure.health === "none") return explained;
    // It answered: the request was refused.
    if (failure.verdict === "caller") health.succeed();
    else health.fail(explained.message, this.blamed.has(row.id) ? "healthy" : failure.health);
    this.blamed.add(row.id);
    if (failure.retryAfterMs !== undefined) health.cool(failure.retryAfterMs);
    return explained;
  }

  private async ask(candidate: Candidate, round: number): Promise<Tried<T>> {
    const { row, type, config } = candidate;
    const { actor, signal } = this.request;
    const started = performance.now();
    const away = this.keptAway(candidate);
    if (away) return { ...this.skip(candidate, started, away.error), ...away };
    const limiter = limiterOf(row.id, config);
    try {
      keyOf(row, type);
      await limiter.enter(actor.tokenId ?? actor.userId, row.displayName, this.timeout, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AppError) return this.skip(candidate, started, error);
      throw error;
    }
    // The provider may have failed while this call was queued.
    const since = this.keptAway(candidate);
    if (since) {
      limiter.release();
      return { ...this.skip(candidate, started, since.error), ...since };
    }
    let spending: Spending;
    try {
      spending = this.startSpending(candidate);
    } catch (error) {
      limiter.release();
      if (!(error instanceof AppError)) throw error;
      // Exceeded budgets are final, without fallback.
      return { error, failure: { verdict: "caller", health: "none" } };
    }
    const end = this.begin(candidate, spending);
    try {
      const target = targetOf(candidate);
      const value = await this.attempt(target);
      this.note(candidate, started, { outcome: "answered" });
      return { routed: { value, target, end: (result) => end(result) } };
    } catch (error) {
      end({ outcome: "stopped" }, false);
      const failure = signal?.aborted
        ? { verdict: "aborted" as const, health: "healthy" as const }
        : classifyFailure(error);
      if (failure.verdict === "aborted") throw error;
      const explained = this.recordFailure(candidate, error, failure);
      this.note(candidate, started, { outcome: "failed", reason: explained.message, code: explained.code });
      const wait = failure.retryAfterMs ?? providerBackoff(round);
      return {
        error: explained,
        failure,
        ...(failure.verdict === "again" && wait <= MAX_WAIT ? { againIn: wait } : {}),
      };
    }
  }

  /** Free slots before queues; recently rejected keys last. */
  private free(candidates: readonly Candidate[]): Candidate[] {
    const rank = ({ row, config }: Candidate) =>
      (healthOf(row.id).refused ? 2 : 0) + (limiterOf(row.id, config).free ? 0 : 1);
    return candidates.toSorted((a, b) => rank(a) - rank(b));
  }

  /**
   * Tries providers in order; transient errors are retried in the next round.
   * @throws AppError the last failure; `final` errors at once
   */
  async askAll(
    candidates: readonly Candidate[],
    reason: string,
  ): Promise<Routed<T> | { error: AppError; final: boolean }> {
    let turn = this.free(candidates);
    let error: AppError | undefined;
    for (let round = 0; turn.length > 0; round++) {
      const again: { candidate: Candidate; at: number }[] = [];
      for (const candidate of turn) {
        const tried = await this.ask(candidate, round);
        if (tried.routed) {
          this.record.reason = this.reasonFor(candidate, reason);
          return tried.routed;
        }
        error = tried.error ?? error;
        if (tried.failure?.verdict === "caller" && error) return { error, final: true };
        if (tried.againIn !== undefined && round < this.retries) {
          again.push({ candidate, at: performance.now() + tried.againIn });
        }
      }
      const soonest = Math.min(...again.map(({ at }) => at));
      if (again.length > 0) await this.pause(soonest - performance.now());
      turn = again.filter(({ at }) => at <= soonest + 1000).map(({ candidate }) => candidate);
    }
    return {
      error: error ?? new AppError("unavailable", "No provider is available. Try again in a moment."),
      final: false,
    };
  }

  private async pause(ms: number): Promise<void> {
    const { signal } = this.request;
    // A timer may fire a millisecond early.
    await delay(Math.max(0, ms) + 1, undefined, signal ? { signal } : {});
  }

  private reasonFor(candidate: Candidate, reason: string): string {
    const before = new Set(
      this.record.attempts.filter(({ outcome }) => outcome !== "answered").map(({ provider }) => provider),
    );
    before.delete(candidate.row.displayName);
    if (before.size === 0) return reason;
    return `Fell back to ${candidate.row.displayName} after ${[...before].join(", ")} failed.`;
  }
}
