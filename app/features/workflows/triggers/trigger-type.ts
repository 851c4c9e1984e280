import type { z } from "zod";
import type { Json, StepField } from "../steps/step-type";

/** What starts a workflow: a file and a line in the registry. */
export interface TriggerType<S extends z.ZodType = z.ZodType> {
  /** Stored with each trigger, such as `schedule`. */
  type: string;
  label: string;
  description: string;
  /** A name of `components/builder/part-icons`. */
  icon: string;
  /** What a new trigger begins with; as the contract's palette has it. */
  defaults: Readonly<Record<string, Json>>;
  /** A trigger's configuration has no expressions. */
  config: S;
  fields: readonly StepField[];
  /** What `trigger` holds, for the completion: a description by name. */
  outputs?: Readonly<Record<string, string>>;
}

export const defineTrigger = <S extends z.ZodType>(type: TriggerType<S>): TriggerType<S> => type;
