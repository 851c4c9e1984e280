import type { Actor } from "~/core/actor";
import type { Json } from "../steps/step-type";
import type { Answer } from "./durable";

/** Something that starts a run. */
export interface Trigger {
  workflowId: string;
  triggerId: string;
  triggerType: string;
  payload: Json;
  /** A trigger that is repeated under this key is the same run. */
  idempotencyKey?: string;
  /** Who pressed Run. */
  startedBy?: string;
  parentRunId?: string;
  depth?: number;
}

export interface Accepted {
  runId: string;
  /** The same trigger was accepted before. */
  repeated: boolean;
}

/** How a run ended. */
export interface RunEnd {
  state: "succeeded" | "failed" | "cancelled";
  output: Json;
  error: string | null;
}

/**
 * What the console asks of an engine. Its own keeps the journal in the console's database; another, such as DBOS over
 * PostgreSQL, can take its place with an adapter that fills `workflow_runs` and `workflow_run_steps` as a projection.
 */
export interface RunEngine {
  /** Resolves once the trigger is on disk: from then on it survives crashes. */
  accept(actor: Actor, trigger: Trigger): Promise<Accepted>;
  /** Resolves when a run ends; rejects when the signal fires first. */
  ended(runId: string, signal: AbortSignal): Promise<RunEnd>;
  /** @returns false for a run that has ended */
  cancel(actor: Actor, runId: string): boolean;
  /** A person's decision on a step that waits. @returns false where none waits */
  answer(runId: string, key: string, answer: Answer): boolean;
  /** Runs a failed run again from its failed step. @returns false for a run that hasn't failed */
  retryFrom(actor: Actor, runId: string): boolean;
  /** Continues a run that slept or waited. */
  resume(runId: string): void;
  stop(): Promise<void>;
}
