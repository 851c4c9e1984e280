import { limitAfterCrashes } from "~/platform/jobs/crashes.service.server";

/** Maximum concurrent runs per workflow. */
const MAX_PER_WORKFLOW = 10;

/** Fair queue: round robin over workflows. One that had no turn yet goes next, so that it doesn't wait for all others. */
export class RunQueue {
  readonly #waiting = new Map<string, string[]>();
  readonly #running = new Map<string, number>();
  /** The number of each workflow's last turn, while it has runs. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #limit: number;

  constructor(private readonly max: number) {
    this.#limit = max;
  }

  startSlowly(crashes: number): void {
    this.#limit = limitAfterCrashes(this.max, crashes);
  }

  get isSlow(): boolean {
    return this.#limit < this.max;
  }

  raise(): void {
    this.#limit = Math.min(this.max, this.#limit + 1);
  }

  add(workflowId: string, runId: string): void {
    const runs = this.#waiting.get(workflowId);
    if (runs) runs.push(runId);
    else this.#waiting.set(workflowId, [runId]);
  }

  remove(workflowId: string, runId: string): void {
    const runs = this.#waiting.get(workflowId) ?? [];
    const index = runs.indexOf(runId);
    if (index >= 0) runs.splice(index, 1);
    if (runs.length === 0) this.#waiting.delete(workflowId);
    this.#forgetTurn(workflowId);
  }

  take(): { workflowId: string; runId: string } | undefined {
    const running = [...this.#running.values()].reduce((sum, runs) => sum + runs, 0);
    if (running >= this.#limit) return undefined;
    const workflowId = this.#next();
    const runId = workflowId === undefined ? undefined : this.#waiting.get(workflowId)?.[0];
    if (workflowId === undefined || runId === undefined) return undefined;
    this.remove(workflowId, runId);
    this.#running.set(workflowId, (this.#running.get(workflowId) ?? 0) + 1);
    this.#turn += 1;
    this.#turns.set(workflowId, this.#turn);
    return { workflowId, runId };
  }

  /** The waiting workflow whose last turn is longest ago. */
  #next(): string | undefined {
    let next: string | undefined;
    let oldest = Number.POSITIVE_INFINITY;
    for (const workflowId of this.#waiting.keys()) {
      const turn = this.#turns.get(workflowId) ?? 0;
      if (turn >= oldest || (this.#running.get(workflowId) ?? 0) >= MAX_PER_WORKFLOW) continue;
      next = workflowId;
      oldest = turn;
    }
    return next;
  }

  done(workflowId: string): void {
    const remaining = (this.#running.get(workflowId) ?? 1) - 1;
    if (remaining > 0) this.#running.set(workflowId, remaining);
    else this.#running.delete(workflowId);
    this.#forgetTurn(workflowId);
  }

  #forgetTurn(workflowId: string): void {
    if (!this.#waiting.has(workflowId) && !this.#running.has(workflowId)) this.#turns.delete(workflowId);
  }
}
