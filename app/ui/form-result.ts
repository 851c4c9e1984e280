import type { SubmissionResult } from "@conform-to/react";

/** The server's refusal of a form. */
export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  /** By the field's name. */
  errors: Record<string, string[]>;
  /** The sentence above the fields. */
  problem: string | undefined;
  /** The sent values, to be shown again; undefined before the form was sent. */
  sent: Record<string, unknown> | undefined;
}

/**
 * Reads a refusal. Only the server validates these forms, so that the screen doesn't load a validation library.
 */
export function readResult(result: Result): Refusal {
  const errorEntries = Object.entries(result?.error ?? {});
  const errors = Object.fromEntries(errorEntries.flatMap(([name, list]) => (list ? [[name, list]] : [])));
  return { errors, problem: errors[""]?.[0], sent: result?.initialValue ?? undefined };
}
