// Without a schema library: the chat's screen reads variables too.

/** A blank of a prompt, to be filled in before it is sent. */
export interface PromptVariable {
  name: string;
  /** Empty where the prompt has none. */
  fallback: string;
}

/** Variables that a prompt may have. */
export const MOST_VARIABLES = 20;

/** `{{name}}` or `{{name=default}}`, on one line. */
const VARIABLE = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_ -]{0,59}?)[ \t]*(?:=([^{}\n]{0,500}))?\}\}/gu;

/** The variables of a prompt, each once, in their order; the first default counts. */
export function variablesOf(text: string): PromptVariable[] {
  const found = new Map<string, string>();
  for (const [, name = "", fallback = ""] of text.matchAll(VARIABLE))
    found.set(name, found.get(name) || fallback.trim());
  return [...found].map(([name, fallback]) => ({ name, fallback }));
}

/** The prompt with values in place of its variables; a variable without a value takes its default. */
export function fillPrompt(text: string, values: ReadonlyMap<string, string>): string {
  const fallbacks = new Map(variablesOf(text).map(({ name, fallback }) => [name, fallback]));
  return text.replaceAll(VARIABLE, (_, name: string) => values.get(name) ?? fallbacks.get(name) ?? "");
}
