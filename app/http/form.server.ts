import { parseWithZod, type Submission, type SubmissionResult } from "@conform-to/zod/v4";
import { data } from "@remix-run/node";
import type { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";
import type { EdgeContext } from "./context";
import { assertKnownNames } from "./form-names.server";
import { sameOnBothSides } from "./same-text.server";
import { type Problem, toProblem } from "./status.server";

/** How a refused form is shown again. */
export interface FormOptions {
  /** Fields that aren't shown again, such as passwords. */
  hide?: readonly string[] | ((form: FormData) => readonly string[]);
  /** Fields that may hold a long text; long values of other fields aren't shown again. */
  long?: readonly string[];
}

/** Longest value shown again, in characters: drawing these takes a tenth of a second, and a few milliseconds. */
const SHOWN_AGAIN = { long: 250_000, other: 10_000 };

function withoutLongTexts<T>(sent: Record<string, T>, long: readonly string[]): Record<string, T> {
  const shown = Object.entries(sent).filter(
    ([name, value]) =>
      typeof value !== "string" ||
      value.length <= (long.includes(name) ? SHOWN_AGAIN.long : SHOWN_AGAIN.other),
  );
  return Object.fromEntries(shown);
}

/** A form as its schema parsed it, and what shows it again. */
export interface ParsedForm<T> {
  submission: Submission<T>;
  /** The form's own answer, with the problem where a service refused it. */
  reply(problem?: Problem): SubmissionResult;
}

/** Parses a posted form with the same schema as the API's body. @throws AppError `invalid` for an unknown field */
export function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
  { hide, long }: FormOptions,
): ParsedForm<z.infer<S>> {
  assertKnownNames(form, schema);
  const submission = parseWithZod(form, { schema }) as Submission<z.infer<S>>;
  const hidden = typeof hide === "function" ? hide(form) : hide;
  return {
    submission,
    reply(problem) {
      const result = submission.reply({
        ...(problem?.errors ? { fieldErrors: problem.errors } : {}),
        ...(problem ? { formErrors: [problem.detail] } : {}),
        ...(hidden ? { hideFields: [...hidden] } : {}),
      });
      if (!long || !result.initialValue) return result;
      return { ...result, initialValue: withoutLongTexts(result.initialValue, long) };
    },
  };
}

/** The refusal of a form whose errors stand beside no field. */
export function invalidForm(errors: Record<string, string[] | null> | null | undefined): AppError {
  const fields: FieldErrors = Object.fromEntries(
    Object.entries(errors ?? {}).flatMap(([name, messages]) => (messages ? [[name, messages]] : [])),
  );
  const [name, messages] = Object.entries(fields)[0] ?? [];
  const position = name ? ` (${name})` : "";
  return new AppError("invalid", `The form is not valid: ${messages?.[0] ?? "unknown reason"}${position}`, {
    fields,
  });
}

/** A refusal as a screen shows it, with `Retry-After` where another try makes sense later. */
export function screenProblem(error: unknown, context: EdgeContext): Problem {
  if (error instanceof AppError && error.retryAfter !== undefined) context.retryAfter(error.retryAfter);
  return toProblem(error, context.requestId);
}

/**
 * Runs a screen's loader or action. Its texts are the same in the server's HTML and in the browser; what a service throws
 * is translated, because an error class would reach the boundary as a bare 500.
 */
export async function onScreen<T>(context: EdgeContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return sameOnBothSides(await work());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problem = screenProblem(error, context);
    throw data(problem, { status: problem.status, statusText: problem.title });
  }
}
