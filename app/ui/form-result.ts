import type { SubmissionResult } from "@conform-to/react";

/** What the server said of a form that it refused. */
export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  /** By the field's name. */
  errors: Record<string, string[]>;
  /** The sentence above the fields. */
  problem: string | undefined;
  /** What was sent, to be shown again; nothing before the form was. */
  sent: Record<string, unknown> | undefined;
}

/**
 * Reads a refusal. These forms are checked by the server alone, so that the screen does without the library that would
 * check them in the browser.
 */
export function readResult(result: Result): Refusal {
  const told = Object.entries(result?.error ?? {});
  const errors = Object.fromEntries(told.flatMap(([name, list]) => (list ? [[name, list]] : [])));
  return { errors, problem: errors[""]?.[0], sent: result?.initialValue ?? undefined };
}
