import type { EffortChoice, OfferedModel } from "~/ai/models/model-picker.shared";
import type { ToolInfo } from "~/ai/tools/tools.schema";

/** A tool that a model's provider refused, with its words. */
interface ToolOff {
  name: string;
  reason: string;
}

export interface ChatChoices {
  /** `sees` is whether it reads images. */
  models: (OfferedModel & { sees: boolean; takesTools: boolean; toolsOff?: ToolOff[] })[];
  defaultModel: string;
  personas: {
    id: string;
    name: string;
    defaultModel: string;
    reasoningEffort: EffortChoice;
    tools: string[];
  }[];
  tools: Pick<ToolInfo, "name" | "title" | "effect">[];
  /** Selected in a new chat without a persona. */
  defaultTools: string[];
  /** Whether the person turned memory on. */
  memory: boolean;
}

/** A pressed starter selects its tool, which its label names. */
export type Starter = { label: string } & ({ prompt: string; tool?: string } | { to: string });

export interface Asker {
  id: string;
  name: string;
  picture: string | null;
}

export interface ChatOptions {
  model: string;
  persona: string;
  maxSteps: number;
  effort: EffortChoice;
  tools: string[];
  /** Of the tools, those that nobody selected. */
  offeredTools?: string[];
  memory: boolean;
}

export const DRAWER_COOKIE = "chat-drawer";
export const OPEN_DRAWER = "open";

/** Names the folders that are open in the side navigation. */
export const FOLDERS_COOKIE = "chat-folders";
/** Of folders that are remembered as open. */
const MAX_OPEN = 20;

export const openFoldersIn = (cookie: string | undefined): string[] =>
  (cookie ?? "").slice(0, 2000).split(".").filter(Boolean).slice(-MAX_OPEN);

/** The cookie's value with a folder opened or closed. */
export const withFolder = (cookie: string | undefined, id: string, isOpen: boolean): string => {
  const others = openFoldersIn(cookie).filter((one) => one !== id);
  return (isOpen ? [...others, id] : others).slice(-MAX_OPEN).join(".");
};

/** The range of Max Steps and its default (section 9). */
export const MAX_STEPS = { min: 1, max: 10, default: 5 } as const;

/** The tool by which a persona's model asks another persona. */
export const ASK_PERSONA = "persona.ask";

/** Time limit of an answer, in minutes. */
export const ANSWER_MINUTES = 30;

export interface ModelRatings {
  model: string;
  up: number;
  down: number;
}

/** Not beside the schema of decisions: the browser says it too, and must not load zod. */
export const NOT_JSON = 'Enter a JSON object, such as {"key": "value"}';
