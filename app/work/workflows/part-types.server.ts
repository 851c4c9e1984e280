import type { PartType } from "./builder.schema";
import { contributedStepTypes, explainUnavailableStep } from "./contributed/contributed-steps.service.server";
import { stepTypes } from "./steps/index.server";
import type { StepType } from "./steps/step-type";
import { triggerTypes } from "./triggers/index.server";
import type { TriggerType } from "./triggers/trigger-type";

const MODEL_HINT = "Leave blank to use the workflow's model.";

function toPartType(part: TriggerType | StepType): PartType {
  const { type, label, description, icon, defaults, fields, outputs = {} } = part;
  const shown = {
    type,
    label,
    description,
    icon,
    defaults,
    fields: fields.map((field) => (field.control.kind === "model" ? { ...field, hint: MODEL_HINT } : field)),
    outputs: Object.entries(outputs).map(([name, about]) => ({ name, description: about })),
  };
  if (!("node" in part))
    return { ...shown, kind: "triggers", category: "Triggers", node: "trigger", branches: [] };
  const { category, node, control, repeatable, branches = [] } = part;
  const canTry = control ? "shown" : repeatable === true ? "harmless" : "acts";
  return { ...shown, kind: "steps", category, node, branches, canTry };
}

const ownTypes: readonly PartType[] = [...triggerTypes, ...stepTypes].map(toPartType);

/** Inactive plugins' types have a reason. */
export function listPartTypes(orgId: string): readonly PartType[] {
  const contributed = contributedStepTypes().map((step): PartType => {
    const unavailable = explainUnavailableStep(orgId, step.type);
    return { ...toPartType(step), ...(unavailable === undefined ? {} : { unavailable }) };
  });
  return [...ownTypes, ...contributed];
}
