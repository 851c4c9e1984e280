import { limitAfterCrashes } from "~/platform/jobs/job-kind.service.server";

/** Maximum concurrent runs per workflow. */
const MAX_PER_WORKFLOW = 10;

/** Fair queue: round robin over workflows. */
export class RunQueue {
  readonly #waiting = new Map<string, string[]>();
  readonly #running = new Map<string, number>();
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #size = 0;
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

  get size(): number {
    return this.#size;
  }

  get running(): number {
    let sum = 0;
    for (const n of this.#running.values()) sum += n;
    return sum;
  }

  add(workflowId: string, runId: string): void {
    const list = this.#waiting.get(workflowId);
    if (list) list.push(runId);
    else this.#waiting.set(workflowId, [runId]);
    this.#size += 1;
  }

  remove(workflowId: string, runId: string): void {
    const list = this.#waiting.get(workflowId);
    const index = list?.indexOf(runId) ?? -1;
    if (!list || index === -1) return;
    list.splice(index, 1);
    this.#size -= 1;
    if (list.length === 0) this.#waiting.delete(workflowId);
  }

  take(): { workflowId: string; runId: string } | undefined {
    if (this.#size === 0 || this.running >= this.#limit) return undefined;
    let chosen: string | undefined;
    for (const workflowId of this.#waiting.keys()) {
      if ((this.#running.get(workflowId) ?? 0) >= MAX_PER_WORKFLOW) continue;
      if (chosen === undefined || (this.#turns.get(workflowId) ?? 0) < (this.#turns.get(chosen) ?? 0))
        chosen = workflowId;
    }
    const runId = chosen === undefined ? undefined : this.#waiting.get(chosen)?.[0];
    if (chosen === undefined || runId === undefined) return undefined;
    this.remove(chosen, runId);
    this.#running.set(chosen, (this.#running.get(chosen) ?? 0) + 1);
    this.#turn += 1;
    this.#turns.set(chosen, this.#turn);
    return { workflowId: chosen, runId };
  }

  done(workflowId: string): void {
    const remaining = (this.#running.get(workflowId) ?? 1) - 1;
    if (remaining > 0) this.#running.set(workflowId, remaining);
    else {
      this.#running.delete(workflowId);
      if (!this.#waiting.has(workflowId)) this.#turns.delete(workflowId);
    }
  }
}
