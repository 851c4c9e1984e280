// Without zod, for the chat screen.

/** A placeholder, filled in before sending. */
export interface PromptVariable {
  name: string;
  /** Empty without a default. */
  fallback: string;
  /** Without a default, which may be empty as in `{{name=}}`. */
  required: boolean;
}

/** Variables that a prompt may have. */
export const MAX_VARIABLES = 20;

/** `{{name}}` or `{{name=default}}`. */
const VARIABLE = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_ -]{0,59}?)[ \t]*(?:=([^{}\n]{0,500}))?\}\}/gu;

/** Unique, in order; the first default wins. */
export function variablesOf(text: string): PromptVariable[] {
  const variables = new Map<string, PromptVariable>();
  for (const [, name = "", fallback] of text.matchAll(VARIABLE)) {
    const before = variables.get(name);
    variables.set(name, {
      name,
      fallback: before?.fallback || (fallback ?? "").trim(),
      required: fallback === undefined && (before?.required ?? true),
    });
  }
  return [...variables.values()];
}

/** Message for a variable that must be filled in; undefined if it may stay as it is. */
export function refuseBlank(
  { name, required }: Pick<PromptVariable, "name" | "required">,
  value: string | undefined,
): string | undefined {
  return required && !value?.trim() ? `Fill in "${name}"` : undefined;
}

/** Blank values take the default. */
function filler(text: string, values: ReadonlyMap<string, string>): (name: string) => string {
  const fallbacks = new Map(variablesOf(text).map(({ name, fallback }) => [name, fallback]));
  return (name) => {
    const value = values.get(name);
    return value?.trim() ? value : (fallbacks.get(name) ?? "");
  };
}

export function fillPrompt(text: string, values: ReadonlyMap<string, string>): string {
  const standIn = filler(text, values);
  return text.replaceAll(VARIABLE, (_, name: string) => standIn(name));
}

/** In characters, before anything is filled in: a long value may stand in a prompt thousands of times. */
export function filledLength(text: string, values: ReadonlyMap<string, string>): number {
  const standIn = filler(text, values);
  let length = text.length;
  for (const [placeholder, name = ""] of text.matchAll(VARIABLE))
    length += standIn(name).length - placeholder.length;
  return length;
}
