import { followSignal, untilAborted } from "~/core/abort";
import type { StepResult } from "../steps/step-type";
import { Suspended } from "./failures.server";

/** Steps of one run that work at the same time; more would take the turn of other runs. */
const MAX_AT_ONCE = 10;

/** What branches need of the journal. */
interface BranchPort {
  /** Commits why a step waits, unless its answer has come meanwhile. */
  hold(suspended: Suspended): Promise<void>;
  /** Whether nothing holds a step any more. */
  isFree(key: string): boolean;
}

interface Held {
  suspended: Suspended;
  goOn(): void;
  giveUp(reason: Suspended): void;
}

/**
 * The branches of a run with Parallel. One that waits for a time, a person or another run is held while others work;
 * the run itself waits once all of them are held.
 */
export class Branches {
  readonly #controller: AbortController;
  readonly #held = new Map<string, Held>();
  readonly #queue: (() => void)[] = [];
  /** Steps that work or are about to. */
  #active = 0;
  /** Whether all were held at once: the run waits from then on, and what comes is for its next replay. */
  #hasGivenUp = false;
  #slots = MAX_AT_ONCE;

  constructor(
    signal: AbortSignal,
    private readonly port: BranchPort,
  ) {
    this.#controller = followSignal(signal).controller;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Keys of the steps that are held, or were as the run began to wait. */
  get held(): string[] {
    return [...this.#held.keys()];
  }

  /** Runs a step, again each time that what it waited for has come. @throws Suspended once all branches wait */
  async step(work: () => Promise<StepResult>): Promise<StepResult> {
    for (;;) {
      const result = await this.work(() => this.#try(work));
      if (!(result instanceof Suspended)) return result;
      await this.#wait(result);
    }
  }

  /** Work during which the run isn't taken for one that waits. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#active += 1;
    try {
      return await work();
    } finally {
      this.#active -= 1;
      // What follows a finished step begins within this turn.
      if (this.#active === 0) setImmediate(() => this.#checkIdle());
    }
  }

  async #try(work: () => Promise<StepResult>): Promise<StepResult | Suspended> {
    await this.#takeSlot();
    try {
      this.signal.throwIfAborted();
      return await work();
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      this.signal.throwIfAborted();
      await this.port.hold(error);
      return error;
    } finally {
      this.#freeSlot();
    }
  }

  async #wait(suspended: Suspended): Promise<void> {
    const { key } = suspended;
    const waiting = new Promise<void>((goOn, giveUp) => this.#held.set(key, { suspended, goOn, giveUp }));
    // It may have been answered before it was held.
    this.#checkHeld(key);
    await untilAborted(waiting, this.signal);
  }

  #checkIdle(): void {
    if (this.#active > 0 || this.#held.size === 0) return;
    this.#hasGivenUp = true;
    for (const { suspended, giveUp } of this.#held.values()) giveUp(suspended);
  }

  #checkHeld(key: string): void {
    const held = this.#held.get(key);
    if (!held || this.#hasGivenUp || !this.port.isFree(key)) return;
    this.#held.delete(key);
    held.goOn();
  }

  /** Lets those go on whose wait is over. */
  wake(): void {
    for (const key of this.held) this.#checkHeld(key);
  }

  async #takeSlot(): Promise<void> {
    if (this.#slots > 0) this.#slots -= 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  #freeSlot(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#slots += 1;
  }

  /**
   * Runs works at once.
   * @param startNext starts what can be; asked again after each end
   * @throws what the first one threw, which stops all others of the run, once they have ended
   */
  async together(startNext: () => readonly Promise<unknown>[]): Promise<void> {
    const running = new Set<Promise<unknown>>();
    let first: { error: unknown } | undefined;
    const fail = (error: unknown) => {
      first ??= { error };
      // If one is held for good, all are.
      if (!(error instanceof Suspended)) this.#controller.abort(error);
    };
    for (;;) {
      for (const work of first ? [] : startNext()) {
        const ended: Promise<unknown> = work.catch(fail).finally(() => running.delete(ended));
        running.add(ended);
      }
      if (running.size === 0) break;
      await Promise.race(running);
    }
    if (first) throw (first as { error: unknown }).error;
  }
}
