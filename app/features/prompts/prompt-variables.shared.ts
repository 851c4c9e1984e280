// Without zod, for the chat screen.

/** A placeholder, filled in before sending. */
export interface PromptVariable {
  name: string;
  /** Empty without a default. */
  fallback: string;
}

/** Variables that a prompt may have. */
export const MAX_VARIABLES = 20;

/** `{{name}}` or `{{name=default}}`. */
const VARIABLE = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_ -]{0,59}?)[ \t]*(?:=([^{}\n]{0,500}))?\}\}/gu;

/** Unique, in order; the first default wins. */
export function variablesOf(text: string): PromptVariable[] {
  const variables = new Map<string, string>();
  for (const [, name = "", fallback = ""] of text.matchAll(VARIABLE))
    variables.set(name, variables.get(name) || fallback.trim());
  return [...variables].map(([name, fallback]) => ({ name, fallback }));
}

/** Missing values take the default. */
export function fillPrompt(text: string, values: ReadonlyMap<string, string>): string {
  const fallbacks = new Map(variablesOf(text).map(({ name, fallback }) => [name, fallback]));
  return text.replaceAll(VARIABLE, (_, name: string) => values.get(name) ?? fallbacks.get(name) ?? "");
}
