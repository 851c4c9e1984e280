import type { Json, StepResult } from "../steps/step-type";
import type { WorkflowStep } from "../workflows.schema";

export interface Answer {
  approved: boolean;
  by: string;
  comment?: string;
}

/** A step's position in a run; each For each item has its own key. */
export interface StepAt {
  key: string;
  step: WorkflowStep;
}

/** The inputs of a step's first attempt, journaled with it. */
export interface Prepared {
  /** The configuration with its expressions resolved. */
  config: unknown;
}

/**
 * The interpreter's only side effects. Everything else must be deterministic: after a restart it runs again
 * with the journaled results.
 */
export interface Durable {
  /** The interpreter's only clock (ms since the epoch). */
  readonly startedAt: number;
  /** Runs a step with its retries, unless the journal has its result. @throws StepFailure */
  step(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** @param seconds from the first attempt on */
  sleep(at: StepAt, prepare: () => Prepared, seconds: (config: unknown) => number): Promise<StepResult>;
  /** A person's approval. */
  waitFor(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Runs another workflow and waits for its result. */
  child(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Journals a step that the interpreter ran itself. */
  note(at: StepAt, prepare: () => Prepared, result: () => StepResult): StepResult;
}

export class StepFailure extends Error {
  constructor(
    readonly at: StepAt,
    message: string,
  ) {
    super(message);
  }
}

export interface RunInput {
  trigger: { id: string; type: string; payload: Json };
  run: { id: string };
  workflow: { id: string; name: string };
}

export interface RunResult {
  output: Json;
}
