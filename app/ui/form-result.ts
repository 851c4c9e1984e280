import type { SubmissionResult } from "@conform-to/react";

export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  errors: Record<string, string[]>;
  /** Shown above the fields. */
  problem: string | undefined;
  /** Undefined before a submit. */
  sent: Record<string, unknown> | undefined;
}

/** Only the server validates, so that no validation library is loaded. */
export function readResult(result: Result): Refusal {
  const errorEntries = Object.entries(result?.error ?? {});
  const errors = Object.fromEntries(errorEntries.flatMap(([name, list]) => (list ? [[name, list]] : [])));
  return { errors, problem: errors[""]?.[0], sent: result?.initialValue ?? undefined };
}
