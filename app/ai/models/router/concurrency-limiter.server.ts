import { onAbort } from "~/core/abort";
import { now } from "~/core/clock.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { kept } from "~/core/process.server";

export interface ConcurrencyLimits {
  maxConcurrent?: number | undefined;
  /** In any 60 seconds. */
  requestsPerMinute?: number | undefined;
}

/** Queue limits: total and per caller. */
const MAX_QUEUED = 2000;
const MAX_QUEUED_PER_CALLER = 500;

interface Waiter {
  admit(): void;
  refuse(error: unknown): void;
}

/** Limits calls to a provider. Fair: callers take turns, however many calls they have queued. */
export class ConcurrencyLimiter {
  private running = 0;
  private startTimes: number[] = [];
  private readonly queues = new Map<string, Waiter[]>();
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private limits: ConcurrencyLimits) {}

  /** Wider limits start queued calls at once. */
  setLimits(limits: ConcurrencyLimits): void {
    this.limits = limits;
    this.admitNext();
  }

  get length(): number {
    return this.waiting;
  }

  /** Calls that run or wait. */
  get ahead(): number {
    return this.running + this.waiting;
  }

  get hasFreeSlot(): boolean {
    return this.waiting === 0 && this.msUntilFree() === 0;
  }

  /** Ms until a slot may be free; Infinity until a call ends. */
  private msUntilFree(): number {
    const { maxConcurrent, requestsPerMinute } = this.limits;
    if (maxConcurrent !== undefined && this.running >= maxConcurrent) return Number.POSITIVE_INFINITY;
    if (requestsPerMinute === undefined) return 0;
    const since = now() - MINUTE;
    const current = this.startTimes.findIndex((at) => at > since);
    this.startTimes = current === -1 ? [] : current === 0 ? this.startTimes : this.startTimes.slice(current);
    if (this.startTimes.length < requestsPerMinute) return 0;
    return (this.startTimes[this.startTimes.length - requestsPerMinute] ?? 0) + MINUTE - now();
  }

  private occupySlot(): void {
    this.running += 1;
    if (this.limits.requestsPerMinute !== undefined) this.startTimes.push(now());
  }

  release(): void {
    this.running -= 1;
    this.admitNext();
  }

  /**
   * Waits for a slot. `release` must follow.
   *
   * @param caller key of the fair queue
   * @param timeoutMs maximum wait
   * @throws AppError `rate_limited` when the queue is full or the wait too long; the signal's reason
   */
  async acquire(
    caller: string,
    provider: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (this.hasFreeSlot) return this.occupySlot();
    const queue = this.queues.get(caller) ?? [];
    if (this.waiting >= MAX_QUEUED || queue.length >= MAX_QUEUED_PER_CALLER) {
      throw new AppError("rate_limited", `Too many requests are queued for ${provider}. Try again later.`, {
        retryAfter: 5,
      });
    }
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timeout);
        release();
      };
      const waiter: Waiter = {
        admit: () => {
          settle();
          resolve();
        },
        refuse: (error) => {
          settle();
          this.forget(caller, waiter);
          reject(error);
        },
      };
      const timeout = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 1000);
        waiter.refuse(
          new AppError(
            "rate_limited",
            `${provider} is busy: the request waited ${seconds} seconds. Try again later.`,
            { retryAfter: 5 },
          ),
        );
      }, timeoutMs);
      const release = onAbort(signal, (reason) => waiter.refuse(reason));
      queue.push(waiter);
      this.queues.set(caller, queue);
      this.waiting += 1;
      this.admitNext();
    });
  }

  private forget(caller: string, waiter: Waiter): void {
    const queue = this.queues.get(caller);
    const at = queue?.indexOf(waiter) ?? -1;
    if (!queue || at === -1) return;
    queue.splice(at, 1);
    this.waiting -= 1;
    if (queue.length === 0) this.queues.delete(caller);
  }

  /** Round robin over callers. */
  private next(): Waiter | undefined {
    const [first] = this.queues;
    if (!first) return undefined;
    const [caller, queue] = first;
    const waiter = queue.shift();
    this.queues.delete(caller);
    if (queue.length > 0) this.queues.set(caller, queue);
    this.waiting -= 1;
    return waiter;
  }

  private admitNext(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.waiting > 0) {
      const delay = this.msUntilFree();
      if (delay > 0) {
        if (Number.isFinite(delay)) this.timer = setTimeout(() => this.admitNext(), Math.max(1, delay));
        return;
      }
      this.occupySlot();
      this.next()?.admit();
    }
  }
}

const limiters = () => kept("limiters of providers", () => new Map<string, ConcurrencyLimiter>());

export function limiterOf(providerId: string, limits: ConcurrencyLimits): ConcurrencyLimiter {
  const existing = limiters().get(providerId);
  if (existing) return existing;
  const limiter = new ConcurrencyLimiter(limits);
  limiters().set(providerId, limiter);
  return limiter;
}
