import type { Json, StepResult } from "../steps/step-type";
import type { WorkflowStep } from "../workflows.schema";

export interface Answer {
  approved: boolean;
  by: string;
  comment?: string;
}

/** For each items have their own keys. */
export interface StepAt {
  key: string;
  step: WorkflowStep;
}

/** Journaled with the first attempt. */
export interface Prepared {
  /** With expressions resolved. */
  config: unknown;
}

/** The interpreter's only side effects; everything else is deterministic and replayed from the journal. */
export interface Durable {
  /** The only clock (ms). */
  readonly startedAt: number;
  /** Runs a step with retries unless journaled. @throws StepFailure */
  step(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** For the seconds of its configuration, from the first attempt on. */
  sleep(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** A person's approval. */
  waitFor(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Runs another workflow and waits for its result. */
  child(at: StepAt, prepare: () => Prepared): Promise<StepResult>;
  /** Journals a step that the interpreter ran itself. */
  record(at: StepAt, prepare: () => Prepared, result: () => StepResult): StepResult;
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
