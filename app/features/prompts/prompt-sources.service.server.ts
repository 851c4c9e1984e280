import type { BroughtPrompt } from "./prompts.schema";

/** A prompt as a source brings it. */
export interface SourcePrompt extends BroughtPrompt {
  /** `<source>:<prompt>`: never that of a stored prompt, which has no colon. */
  id: string;
  /** Who brings it. */
  from: { id: string; name: string };
  /** When its source was released, in ms since the epoch. */
  at: number;
}

/** Brings prompts to the library, such as those of the active plugins. */
export interface PromptSource {
  list(orgId: string): readonly SourcePrompt[];
  /** Why a prompt of this source is gone and how to have it back; undefined where the id isn't of this source. */
  explainMissing(orgId: string, id: string): string | undefined;
}

// Development evaluates modules again; sources stay registered.
const holder = globalThis as typeof globalThis & { quarterdeckPromptSources?: Set<PromptSource> };

function sources(): Set<PromptSource> {
  holder.quarterdeckPromptSources ??= new Set();
  return holder.quarterdeckPromptSources;
}

/** Adds a source of prompts. @returns the function that removes it */
export function registerPromptSource(source: PromptSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

/** The prompts that an organization has by its sources. */
export const listSourcePrompts = (orgId: string): SourcePrompt[] =>
  [...sources()].flatMap((source) => source.list(orgId));

/** Why there is no prompt of that id, where a source knows. */
export function explainMissingPrompt(orgId: string, id: string): string | undefined {
  for (const source of sources()) {
    const reason = source.explainMissing(orgId, id);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
