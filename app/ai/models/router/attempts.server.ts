import { setTimeout as delay } from "node:timers/promises";
import type { Actor } from "~/core/actor";
import { exponentialBackoff, MINUTE, providerBackoff } from "~/core/durations";
import { AppError } from "~/core/errors";
import type { RouteAttempt, RouteRecord } from "~/platform/catalogue/models.schema";
import { readSettings } from "~/platform/settings/settings.service.server";
import { explainProviderError } from "../explain-provider-error.server";
import type { ModelKind } from "../models.schema";
import { callFor, keyOf, silenceOf } from "../provider-entry.server";
import { wordsOf } from "../provider-words";
import type { Candidate } from "./candidates.server";
import { classifyFailure, type Failure } from "./classify-failure.server";
import { limiterOf } from "./concurrency-limiter.server";
import { noteCutOff } from "./cut-off-calls.server";
import { healthOf } from "./health.server";
import {
  type CallPurpose,
  type CallSize,
  type CallTokens,
  DEFAULT_OUTPUT_TOKENS,
  type Spending,
  startSpending,
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
  /** The answer comes in one piece, so nothing of it is noted before its end. */
  isWhole?: boolean;
  /** Providers to try before the others. */
  prefers?: (candidate: Candidate) => boolean;
  /** What the call waits for from now on. */
  onWait?: ((wait: Wait) => void) | undefined;
}

/** In a provider's queue with the number of others before it, else for its model to be loaded or for its answer. */
export type Wait = { provider: string } & ({ before: number } | { isLoading: boolean });

/** Result of a routed call. Times in ms. */
export interface CallEnd {
  outcome: "ok" | "stopped" | "error";
  firstTokenMs?: number | null | undefined;
  error?: unknown;
  /** Undefined figures weren't reported. */
  tokens?: CallTokens | undefined;
  estimatedOutput?: number | undefined;
}

export interface Routed<T> {
  value: T;
  target: RouteTarget;
  /** Notes the output so far, in tokens. */
  receive(output: number): void;
  /** Releases the slot, records health and settles budgets. Call exactly once, also for aborted calls. */
  end(result: CallEnd): void;
}

/** Maximum wait for a rate-limited provider, in ms. */
const MAX_WAIT = 20_000;

/** In ms, whatever a provider asks for. */
const LONGEST_PAUSE = 10 * MINUTE;
/** Times the usual silence that a call may queue where nobody else can answer it: 10 minutes by default. */
const QUEUE_FACTOR = 20;

/** Delay before a server that loads its model is asked again, in ms; with each time it is longer. */
const LOADING_DELAY = { first: 500, max: 10_000 };
/** How long a server may take to say whether it has loaded a model, in ms. */
const LOADED_TIMEOUT = 5000;

const UNKNOWN_SIZE: CallSize = { input: DEFAULT_OUTPUT_TOKENS, output: DEFAULT_OUTPUT_TOKENS };

interface Skipped {
  error: AppError;
  /** Delay in ms before a retry; undefined without one. */
  retryInMs?: number | undefined;
  /** The server loads the model. */
  isLoading?: boolean;
}

type AttemptResult<T> = (Skipped & { routed?: undefined; isFinal?: boolean }) | { routed: Routed<T> };

/** One call's attempts at its providers, with retries. */
export class ProviderAttempts<T> {
  /** Providers whose failure was counted: a call's retries don't count again. */
  private readonly countedAsFailed = new Set<string>();
  /** Attempts at providers that load the model: asking again is the same attempt. */
  private readonly loading = new Map<string, RouteAttempt>();
  private readonly begun = performance.now();
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

  private recordAttempt(
    { row, type, modelId }: Candidate,
    started: number,
    outcome: RouteAttempt["outcome"],
    error?: AppError,
    said?: string,
  ): RouteAttempt {
    const attempt: RouteAttempt = {
      providerId: row.id,
      providerType: type.value,
      provider: row.displayName,
      model: modelId,
      outcome,
      reason: error?.message ?? null,
      code: error?.code ?? null,
      ...(said && { said }),
      durationMs: Math.round((performance.now() - started) * 10) / 10,
    };
    this.record.attempts.push(attempt);
    return attempt;
  }

  private skip(candidate: Candidate, started: number, result: Skipped): Skipped {
    this.recordAttempt(candidate, started, "skipped", result.error);
    return result;
  }

  private findPause({ row }: Candidate): Skipped | undefined {
    const health = healthOf(row.id);
    const pause = health.currentPause();
    if (!pause) return undefined;
    const retryAfter = Math.ceil(pause.remainingMs / 1000);
    const retrying = `Retrying in ${retryAfter} s.`;
    if (pause.reason === "rate limited") {
      const message = `${row.displayName} is rate limited. ${retrying}`;
      return {
        error: new AppError("rate_limited", message, { retryAfter }),
        retryInMs: pause.remainingMs <= MAX_WAIT ? pause.remainingMs : undefined,
      };
    }
    const last = health.lastFailure ? ` Last: ${health.lastFailure.message}` : "";
    const message = `${row.displayName} is failing. ${retrying}${last}`;
    return { error: new AppError("provider_unavailable", message, { retryAfter }) };
  }

  /** Says what a call waits for. @returns to be called when the wait is over */
  private reportWait(candidate: Candidate): () => void {
    const { row, type, modelId } = candidate;
    const { onWait } = this.request;
    const provider = row.displayName;
    onWait?.({ provider, isLoading: this.loading.has(row.id) });
    let isOver = false;
    if (onWait && type.isLoaded) {
      const limits = { firstByteMs: LOADED_TIMEOUT, betweenBytesMs: LOADED_TIMEOUT, retries: 0 };
      const report = (isLoaded: boolean) => {
        if (!isOver && !isLoaded) onWait({ provider, isLoading: true });
      };
      // A server that doesn't say so may be loading or reading: nothing is claimed.
      type.isLoaded(callFor(candidate, limits), modelId).then(report, () => undefined);
    }
    return () => {
      isOver = true;
    };
  }

  private recordFailed(
    candidate: Candidate,
    started: number,
    failed: AppError,
    error: unknown,
    isLoading = false,
  ): void {
    const { id } = candidate.row;
    const known = this.loading.get(id);
    if (known && isLoading) {
      known.durationMs = Math.round((performance.now() - this.begun) * 10) / 10;
      return;
    }
    const attempt = this.recordAttempt(candidate, started, "failed", failed, wordsOf(error));
    if (isLoading) this.loading.set(id, attempt);
    else this.loading.delete(id);
  }

  private startCall(
    candidate: Candidate,
    spending: Spending,
  ): (result: CallEnd, isAnswered?: boolean) => void {
    const health = healthOf(candidate.row.id);
    const endCall = health.startCall();
    const limiter = limiterOf(candidate.row.id, candidate.config);
    let hasEnded = false;
    return ({ outcome, firstTokenMs, error, tokens, estimatedOutput }, isAnswered = true) => {
      if (hasEnded) return;
      hasEnded = true;
      if (isAnswered) spending.settle(tokens ?? {}, estimatedOutput);
      else spending.release();
      endCall();
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
    const { kind } = this.request;
    const explained = explainProviderError(error, { provider: row.displayName, model: modelId, kind });
    if (failure.kind === "aborted" || failure.health === "none") return explained;
    // The provider responded: it refused the request.
    if (failure.kind === "caller") health.succeed();
    else health.fail(explained.message, this.countedAsFailed.has(row.id) ? "healthy" : failure.health);
    this.countedAsFailed.add(row.id);
    // A limit of one model, such as of a day, mustn't take the others of its provider away for long.
    if (failure.retryAfterMs !== undefined) health.coolDown(Math.min(failure.retryAfterMs, LONGEST_PAUSE));
    return explained;
  }

  private async tryCandidate(
    candidate: Candidate,
    round: number,
    isLast: boolean,
  ): Promise<AttemptResult<T>> {
    const { row, config } = candidate;
    const { actor, signal, purpose, size, isWhole } = this.request;
    const started = performance.now();
    const pause = this.findPause(candidate);
    if (pause) return this.skip(candidate, started, pause);
    const limiter = limiterOf(row.id, config);
    try {
      keyOf(candidate);
      if (!limiter.hasFreeSlot) this.request.onWait?.({ provider: row.displayName, before: limiter.ahead });
      const longest = this.timeout * (isLast ? QUEUE_FACTOR : 1);
      await limiter.acquire(actor.tokenId ?? actor.userId, row.displayName, longest, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AppError) return this.skip(candidate, started, { error });
      throw error;
    }
    // The provider may have failed while this call was queued.
    const pauseMeanwhile = this.findPause(candidate);
    if (pauseMeanwhile) {
      limiter.release();
      return this.skip(candidate, started, pauseMeanwhile);
    }
    const target = targetOf(candidate);
    const priced = { ...target, model: target.modelId };
    let spending: Spending;
    try {
      spending = startSpending({
        actor,
        purpose,
        priced,
        isWhole,
        size: () => size?.(target) ?? UNKNOWN_SIZE,
      });
    } catch (error) {
      limiter.release();
      if (!(error instanceof AppError)) throw error;
      // Exceeded budgets are final, without fallback.
      return { error, isFinal: true };
    }
    const endWait = this.reportWait(candidate);
    const end = this.startCall(candidate, spending);
    try {
      const value = await this.attempt(target).finally(endWait);
      const answered = this.recordAttempt(candidate, started, "answered");
      const receive = (output: number) => spending.receive(output);
      const finish = (result: CallEnd) => {
        const said = result.outcome === "error" ? wordsOf(result.error) : undefined;
        if (said) answered.said = said;
        end(result);
      };
      return { routed: { value, target, receive, end: finish } };
    } catch (error) {
      if (signal?.aborted) {
        this.endCutOff(target, end);
        throw error;
      }
      end({ outcome: "stopped" }, false);
      const failure = classifyFailure(error);
      if (failure.kind === "aborted") throw error;
      const explained = this.recordFailure(candidate, error, failure);
      this.recordFailed(candidate, started, explained, error, failure.isLoading);
      if (failure.isLoading)
        return { error: explained, isLoading: true, retryInMs: exponentialBackoff(round, LOADING_DELAY) };
      const wait = failure.retryAfterMs ?? providerBackoff(round);
      return {
        error: explained,
        isFinal: failure.kind === "caller",
        retryInMs: failure.kind === "transient" && wait <= MAX_WAIT ? wait : undefined,
      };
    }
  }

  /** What the caller stops counts by the estimate: its prompt and, of an answer in one piece, the longest output. */
  private endCutOff(target: RouteTarget, end: (result: CallEnd) => void): void {
    const { size, isWhole } = this.request;
    const whole = size?.(target);
    if (whole) noteCutOff(this.record, { target, tokens: isWhole ? whole : { ...whole, output: 0 } });
    end({ outcome: "stopped", ...(!isWhole && { estimatedOutput: 0 }) });
  }

  /** Free slots before queues; recently rejected keys last. */
  private orderByLoad(candidates: readonly Candidate[]): Candidate[] {
    const rank = ({ row, config }: Candidate) =>
      (healthOf(row.id).isRefused ? 2 : 0) + (limiterOf(row.id, config).hasFreeSlot ? 0 : 1);
    return candidates.toSorted((a, b) => rank(a) - rank(b));
  }

  /**
   * Tries providers in order; transient errors are retried in the next round.
   * @throws AppError the last failure; `final` errors at once
   */
  async run(
    candidates: readonly Candidate[],
    reason: string,
    isLastModel: boolean,
  ): Promise<Routed<T> | { error: AppError; final: boolean }> {
    let queue = this.orderByLoad(candidates);
    let error: AppError | undefined;
    for (let round = 0; queue.length > 0; round++) {
      const retries: { candidate: Candidate; at: number }[] = [];
      for (const [at, candidate] of queue.entries()) {
        const result = await this.tryCandidate(candidate, round, isLastModel && at === queue.length - 1);
        if (result.routed) {
          this.record.reason = this.reasonFor(candidate, reason);
          return result.routed;
        }
        error = result.error;
        if (result.isFinal) return { error, final: true };
        // Where nobody else can answer, loading may take as long as any silence before an answer.
        const mayLoad = result.isLoading && isLastModel && this.age < silenceOf(candidate).firstByteMs;
        if (result.retryInMs !== undefined && (round < this.retries || mayLoad)) {
          retries.push({ candidate, at: performance.now() + result.retryInMs });
        }
      }
      const soonest = Math.min(...retries.map(({ at }) => at));
      if (retries.length > 0) await this.waitUntil(soonest);
      queue = retries.filter(({ at }) => at <= soonest + 1000).map(({ candidate }) => candidate);
    }
    return {
      error: error ?? new AppError("unavailable", "No provider is available. Try again in a moment."),
      final: false,
    };
  }

  /** In ms. */
  private get age(): number {
    return performance.now() - this.begun;
  }

  /** @param at by `performance.now()` */
  private async waitUntil(at: number): Promise<void> {
    const { signal } = this.request;
    // A timer counts from the beginning of its turn of the event loop, and so fires early by how long that has taken.
    for (let left = at - performance.now(); left > 0; left = at - performance.now())
      await delay(Math.ceil(left), undefined, signal ? { signal } : {});
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
