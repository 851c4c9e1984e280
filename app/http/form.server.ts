import { parseWithZod, type Submission, type SubmissionResult } from "@conform-to/zod/v4";
import { data } from "@remix-run/node";
import type { z } from "zod";
import { AppError } from "~/core/errors";
import type { EdgeContext } from "./context";
import { assertKnownNames } from "./form-names.server";
import { keepTexts } from "./kept-text.server";
import { sameOnBothSides } from "./same-text.server";
import { type Problem, toProblem } from "./status.server";

interface FormOptions {
  /** Says a refusal in other words. */
  message?: (detail: string) => string;
  /** Fields that aren't shown again: passwords. */
  hide?: string[];
  /** Fields that may hold a long text, which is shown again in a `LongTextarea`; all others are short then. */
  long?: string[];
  /** Fields of the same form that the schema leaves out, such as those of another tab: shown again, otherwise ignored. */
  others?: string[];
}

/** Parses a posted form with the same schema as the API's body. @throws AppError `invalid` for an unknown field */
function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
  others: readonly string[] = [],
): Submission<z.infer<S>> {
  assertKnownNames(form, schema, others);
  return parseWithZod(form, { schema }) as Submission<z.infer<S>>;
}

/** A refusal as a screen shows it, with `Retry-After` where another try makes sense later. */
function screenProblem(error: unknown, context: EdgeContext): Problem {
  if (error instanceof AppError && error.retryAfter !== undefined) context.retryAfter(error.retryAfter);
  return toProblem(error, context.requestId);
}

/**
 * A service's refusal as a form shows it: fields beside their inputs, the sentence above them. Typed values stay, but
 * for those named in `hide` (passwords).
 */
function formError<T>(
  submission: Submission<T>,
  error: unknown,
  context: EdgeContext,
  options: FormOptions = {},
): { result: SubmissionResult; status: number } {
  const problem = screenProblem(error, context);
  const detail = options.message ? options.message(problem.detail) : problem.detail;
  return {
    status: problem.status,
    result: submission.reply({
      ...(problem.errors ? { fieldErrors: problem.errors } : {}),
      formErrors: [detail],
      ...(options.hide ? { hideFields: options.hide } : {}),
    }),
  };
}

type FormOutcome<R> = { done: true; value: R } | { done: false; answer: ReturnType<typeof refuse> };

function refuse(result: SubmissionResult, status: number) {
  return data({ result: sameOnBothSides(result) }, { status });
}

/**
 * One form from its post to its answer: parse, act, and on any refusal the re-rendering of the form with what was
 * typed. `answer` is what the action returns then.
 */
export async function submitForm<S extends z.ZodType, R>(
  form: FormData,
  schema: S,
  context: EdgeContext,
  act: (value: z.infer<S>) => R | Promise<R>,
  options: FormOptions = {},
): Promise<FormOutcome<R>> {
  const submission = await onScreen(context, () => parseForm(form, schema, options.others));
  const hidden = options.hide ? { hideFields: options.hide } : {};
  const { long } = options;
  const shown = (result: SubmissionResult): SubmissionResult =>
    long && result.initialValue
      ? { ...result, initialValue: keepTexts(context, result.initialValue, long) }
      : result;
  if (submission.status !== "success")
    return { done: false, answer: refuse(shown(submission.reply(hidden)), 400) };
  try {
    return { done: true, value: await act(submission.value) };
  } catch (error) {
    if (error instanceof Response) throw error;
    const { result, status } = formError(submission, error, context, options);
    return { done: false, answer: refuse(shown(result), status) };
  }
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
