import type { ToolInfo } from "~/features/tools/tools.schema";

/** What the chat screen offers. */
export interface ChatChoices {
  /** `provider` is the name of the provider that serves it, `sees` whether it reads images. */
  models: { id: string; name: string; provider: string; sees: boolean }[];
  personas: { id: string; name: string; defaultModel: string; tools: string[] }[];
  tools: Pick<ToolInfo, "name" | "title" | "effect">[];
}

/** Something to begin with: a message to send, or a screen to open. */
export type Starter = { label: string } & ({ prompt: string } | { to: string });

/** Who asks, as the messages show them. */
export interface Asker {
  id: string;
  name: string;
  picture: string | null;
}

/** What its form says. */
export interface ChatOptions {
  model: string;
  /** A persona's id; empty for the default. */
  persona: string;
  maxSteps: number;
  tools: string[];
}
