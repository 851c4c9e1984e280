import type { z } from "zod";
import type { Json, StepField } from "../steps/step-type";

/** A type of trigger: one file and its line in the registry. */
export interface TriggerType<S extends z.ZodType = z.ZodType> {
  /** Stored with each trigger, such as `schedule`. */
  type: string;
  label: string;
  description: string;
  /** In `components/builder/part-icon`. */
  icon: string;
  /** As in the contract's palette. */
  defaults: Readonly<Record<string, Json>>;
  /** Strict, with defaults. */
  config: S;
  fields: readonly StepField[];
  /** Which source, event or call starts it, in a few words beside its label. @param nameOf of a workflow */
  detail?(config: z.output<S>, nameOf: (workflowId: string) => string | undefined): string | undefined;
  /** Completion: descriptions by name. */
  outputs?: Readonly<Record<string, string>>;
}

/** A trigger's fields are literal, as nothing has run before it that an expression could read. */
export const defineTrigger = <S extends z.ZodType>(type: TriggerType<S>): TriggerType<S> => ({
  ...type,
  fields: type.fields.map((field) => ({ ...field, language: "none" })),
});
