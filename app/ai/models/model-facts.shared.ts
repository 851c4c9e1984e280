import type { Capability } from "./model-options.shared";

/** Abilities that distinguish models; nearly all have the others. */
export const ABILITY_LABELS = {
  vision: "Vision",
  "function-calling": "Tools",
  reasoning: "Reasoning",
} as const satisfies Partial<Record<Capability, string>>;
export type Ability = keyof typeof ABILITY_LABELS;

/** What an open picker says of a model beside its name. */
export interface ModelFacts {
  id: string;
  abilities: Ability[];
  /** US dollars per 1M tokens; absent if unknown. */
  price?: { input: number; output: number };
  /** Context length in tokens, if it is known. */
  context?: number;
  recommended?: boolean;
}

/** Loaded once a picker is opened, so that pages don't carry it. */
export interface PickerFacts {
  models: ModelFacts[];
  /** The person's chosen default; null if they chose none. */
  own: string | null;
  /** The organization's default; null if none is set. */
  everyone: string | null;
  mayChooseForEveryone: boolean;
}
