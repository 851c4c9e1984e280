import { kept } from "~/core/process.server";
import type { ContributedPrompt } from "./prompts.schema";

export interface SourcePrompt extends ContributedPrompt {
  /** `<source>:<prompt>`; stored ids have no colon. */
  id: string;
  from: { id: string; name: string };
  /** Release time, in ms. */
  at: number;
}

/** A source of prompts, such as plugins. */
export interface PromptSource {
  list(orgId: string): readonly SourcePrompt[];
  /** Undefined for another source's id. */
  explainMissing(orgId: string, id: string): string | undefined;
}

const sources = () => kept("prompt sources", () => new Set<PromptSource>());

/** @returns a function to unregister */
export function registerPromptSource(source: PromptSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

export const listSourcePrompts = (orgId: string): SourcePrompt[] =>
  [...sources()].flatMap((source) => source.list(orgId));

/** Undefined if no source knows it. */
export function explainMissingPrompt(orgId: string, id: string): string | undefined {
  for (const source of sources()) {
    const reason = source.explainMissing(orgId, id);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
