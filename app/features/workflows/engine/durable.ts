import type { Json, StepResult } from "../steps/step-type";
import type { WorkflowStep } from "../workflows.schema";

/** A person's decision on a step that waits. */
export interface Answer {
  approved: boolean;
  by: string;
  comment?: string;
}

/** A step at one place of a run: within For each it has a key for each item. */
export interface StepAt {
  key: string;
  step: WorkflowStep;
}

/** What a step's first attempt finds; kept with the step. */
export interface Prepared {
  /** The configuration with its expressions resolved. */
  config: unknown;
}

/**
 * The only side effects available to a graph's interpreter. Everything else must be deterministic: after a restart the
 * interpreter runs again, and recorded results are read from the journal.
 */
export interface Durable {
  /** The only clock, in ms since the epoch. */
  readonly startedAt: number;
  /** Runs a step with its retries, unless the journal has its result. @throws StepFailure */
  step(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** @param seconds from the first time on */
  sleep(at: StepAt, prepare: () => Prepared, seconds: (config: unknown) => number): Promise<StepResult>;
  /** A person's approval. */
  waitFor(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Runs another workflow and waits for its result. */
  child(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Notes a step that the interpreter has done itself. */
  note(at: StepAt, prepare: () => Prepared, result: () => StepResult): StepResult;
}

/** A step that has failed for good, or can't be prepared. */
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

/** How a run ended. */
export interface RunResult {
  output: Json;
}
