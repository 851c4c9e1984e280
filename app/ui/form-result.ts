import type { SubmissionResult } from "@conform-to/react";

export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  errors: Record<string, string[]>;
  /** Error of the whole form, shown above its fields. */
  formError: string | undefined;
  /** Undefined before a submit. */
  submitted: Record<string, unknown> | undefined;
}

/** Adds what to do, in the words of the form's button, if its record was deleted while it was edited. */
export function explainFormError(
  formError: string | undefined,
  isMissing: boolean,
  verb: "Add" | "Create" = "Add",
): string | undefined {
  return isMissing && formError ? `${formError} ${verb} it again to keep what you typed.` : formError;
}

/** A submitted value for a text field; empty for a list or none. */
export const submittedText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Messages by field; those of the whole form under an empty name. */
export function errorsOf(result: Result): Record<string, string[]> {
  const entries = Object.entries(result?.error ?? {});
  return Object.fromEntries(entries.flatMap(([name, list]) => (list ? [[name, list]] : [])));
}

/** Only the server validates, so that no validation library is loaded. */
export function readResult(result: Result): Refusal {
  const errors = errorsOf(result);
  return { errors, formError: errors[""]?.[0], submitted: result?.initialValue ?? undefined };
}
