import type { ExpressionName, PartType } from "./builder.schema";
import { contributedStepTypes, explainUnavailableStep } from "./contributed/contributed-steps.server";
import { stepTypes } from "./steps/index.server";
import type { StepField, StepType } from "./steps/step-type";
import { triggerTypes } from "./triggers/index.server";

const listOutputs = (outputs: Readonly<Record<string, string>> = {}): ExpressionName[] =>
  Object.entries(outputs).map(([name, description]) => ({ name, description }));

const MODEL_HINT = "Leave blank to use the workflow's model.";
const forBuilder = (field: StepField): StepField =>
  field.control.kind === "model" ? { ...field, hint: MODEL_HINT } : field;

function canTry({ control, repeatable }: StepType): NonNullable<PartType["canTry"]> {
  if (control) return "shown";
  return repeatable === true ? "harmless" : "acts";
}

function toPartType(step: StepType): PartType {
  const { type, label, description, category, icon, node, defaults, fields, branches = [], outputs } = step;
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
    branches: step.control === "each" ? ["each", "done"] : [...branches],
    canTry: canTry(step),
  };
}

const ownTypes: readonly PartType[] = [
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
  ...stepTypes.map(toPartType),
];

/** Inactive plugins' types have a reason. */
export function listPartTypes(orgId: string): readonly PartType[] {
  const contributed = contributedStepTypes().map((step): PartType => {
    const unavailable = explainUnavailableStep(orgId, step.type);
    return { ...toPartType(step), ...(unavailable === undefined ? {} : { unavailable }) };
  });
  return [...ownTypes, ...contributed];
}
