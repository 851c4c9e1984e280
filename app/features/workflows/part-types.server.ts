import type { ExpressionName, PartType } from "./builder.schema";
import { stepTypes } from "./steps/index.server";
import type { StepField, StepType } from "./steps/step-type";
import { triggerTypes } from "./triggers/index.server";

const listOutputs = (outputs: Readonly<Record<string, string>> = {}): ExpressionName[] =>
  Object.entries(outputs).map(([name, description]) => ({ name, description }));

const MODEL_HINT = "Leave blank to use the workflow's model.";
const forBuilder = (field: StepField): StepField =>
  field.control.kind === "model" ? { ...field, hint: MODEL_HINT } : field;

/** The types of triggers and steps, as the browser reads them. */
export const partTypes: readonly PartType[] = [
  ...triggerTypes.map(
    ({ type, label, description, icon, defaults, fields, outputs }): PartType => ({
      kind: "triggers",
      type,
      label,
      description,
      category: "Triggers",
      icon,
      node: "trigger",
      defaults,
      fields: [...fields],
      outputs: listOutputs(outputs),
      branches: [],
    }),
  ),
  ...stepTypes.map((step: StepType): PartType => {
    const {
      type,
      label,
      description,
      category,
      icon,
      node,
      defaults,
      fields,
      branches = [],
      control,
      outputs,
    } = step;
    return {
      kind: "steps",
      type,
      label,
      description,
      category,
      icon,
      node,
      defaults,
      fields: fields.map(forBuilder),
      outputs: listOutputs(outputs),
      branches: control === "each" ? ["each", "done"] : [...branches],
      canTry: control
        ? ("shown" as const)
        : step.repeatable === true
          ? ("harmless" as const)
          : ("acts" as const),
    };
  }),
];
