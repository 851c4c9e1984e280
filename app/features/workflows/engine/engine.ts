import type { Actor } from "~/core/actor";
import type { Json } from "../steps/step-type";
import type { Answer } from "./durable";

export interface Trigger {
  workflowId: string;
  triggerId: string;
  triggerType: string;
  payload: Json;
  /** Deduplicates repeated triggers. */
  idempotencyKey?: string;
  startedBy?: string;
  parentRunId?: string;
  depth?: number;
}

export interface Accepted {
  runId: string;
  repeated: boolean;
}

export interface RunEnd {
  state: "succeeded" | "failed" | "cancelled";
  output: Json;
  error: string | null;
}

/** Port of a workflow engine. Other engines, such as DBOS, must fill `workflow_runs` and `workflow_run_steps`. */
export interface RunEngine {
  accept(actor: Actor, trigger: Trigger): Promise<Accepted>;
  ended(runId: string, signal: AbortSignal): Promise<RunEnd>;
  /** @returns false if it has ended */
  cancel(actor: Actor, runId: string): boolean;
  /** @returns false if the step isn't waiting */
  answer(runId: string, key: string, answer: Answer): boolean;
  /** @returns false if the run hasn't failed */
  retryFrom(actor: Actor, runId: string): boolean;
  /** Resumes a sleeping or waiting run. */
  resume(runId: string): void;
  stop(): Promise<void>;
}
