import type { StepField } from "./step-type";

/** The choice of a step's model. */
export const MODEL_FIELD: StepField = {
  name: "model",
  label: "Model",
  hint: "Leave blank to use the organization's default.",
  control: { kind: "model" },
  language: "none",
};
