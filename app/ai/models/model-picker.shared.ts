/** A model of a picker. `provider` is its provider's name. */
export interface OfferedModel {
  id: string;
  name: string;
  provider: string;
  /** False if no provider serves it now. */
  available?: boolean;
  /** Whether it thinks before it answers. */
  reasons?: boolean;
}

/** Whether an effort may matter: also for a model of which nothing is known, which keeps what was chosen. */
export function mayReason(models: readonly OfferedModel[], id: string): boolean {
  return !models.some((one) => one.id === id && one.available !== false && !one.reasons);
}

export const modelOptions = (models: readonly OfferedModel[]) =>
  models.map(({ id, name, provider, available }) =>
    available === false
      ? { value: id, label: `${name} (not available)`, group: "Not available" }
      : { value: id, label: name, group: provider },
  );

/** How much a model that reasons thinks before it answers. */
const EFFORTS = ["none", "low", "medium", "high", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** With the model's own choice first. */
export const EFFORT_CHOICES = ["default", ...EFFORTS] as const;
export type EffortChoice = (typeof EFFORT_CHOICES)[number];

export const EFFORT_LABELS: Record<EffortChoice, string> = {
  default: "Default",
  none: "None",
  low: "Low",
  medium: "Medium",
  high: "High",
  max: "Max",
};

export const EFFORT_OPTIONS = EFFORT_CHOICES.map((value) => ({ value, label: EFFORT_LABELS[value] }));
