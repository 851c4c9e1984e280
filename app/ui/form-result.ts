import type { SubmissionResult } from "@conform-to/react";

export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  errors: Record<string, string[]>;
  /** Shown above the fields. */
  problem: string | undefined;
  /** Undefined before a submit. */
  submitted: Record<string, unknown> | undefined;
}

/** The problem of a form, with what to do if its record was deleted while it was edited. */
export function problemOf(problem: string | undefined, isMissing: boolean): string | undefined {
  return isMissing && problem ? `${problem} Add it again to keep what you typed.` : problem;
}

/** Messages by field; those of the whole form under an empty name. */
export function errorsOf(result: Result): Record<string, string[]> {
  const entries = Object.entries(result?.error ?? {});
  return Object.fromEntries(entries.flatMap(([name, list]) => (list ? [[name, list]] : [])));
}

/** Only the server validates, so that no validation library is loaded. */
export function readResult(result: Result): Refusal {
  const errors = errorsOf(result);
  return { errors, problem: errors[""]?.[0], submitted: result?.initialValue ?? undefined };
}
