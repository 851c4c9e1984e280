import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db-type";
import type { Json } from "../steps/step-type";
import type { Answer } from "./durable";

export interface Trigger {
  workflowId: string;
  triggerId: string;
  triggerType: string;
  payload: Json;
  /** A trigger with one of them again returns the same run. */
  idempotencyKeys?: readonly string[];
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
  /** @returns a function for after the commit; undefined if the step isn't waiting */
  answer(tx: Db, runId: string, key: string, answer: Answer): (() => void) | undefined;
  /** @returns false if the run hasn't failed */
  retryFrom(actor: Actor, runId: string): boolean;
  /** Queues a waiting run. @param within runs in the same commit */
  resume(runId: string, within?: (tx: Db) => void): void;
  stop(): Promise<void>;
}
