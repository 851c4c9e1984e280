import { parseWithZod, type Submission, type SubmissionResult } from "@conform-to/zod/v4";
import { data } from "@remix-run/node";
import { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";
import { describeIssue } from "~/core/issue-messages";
import { explainStorageFault } from "~/core/storage-faults.server";
import type { EdgeContext } from "./context";
import { pickKnownFields } from "./form-names.server";
import { normalizeForHydration } from "./same-text.server";
import { type Problem, toProblem } from "./status.server";

export interface FormOptions {
  hide?: readonly string[] | ((form: FormData) => readonly string[]);
  /** Fields whose long values are redisplayed. */
  long?: readonly string[];
}

/** Maximum redisplayed length, in characters: rendering the long one takes 100 ms. */
const MAX_REDISPLAYED = { long: 250_000, other: 10_000 };

function withoutLongTexts<T>(submitted: Record<string, T>, long: readonly string[]): Record<string, T> {
  const visible = Object.entries(submitted).filter(
    ([name, value]) =>
      typeof value !== "string" ||
      value.length <= (long.includes(name) ? MAX_REDISPLAYED.long : MAX_REDISPLAYED.other),
  );
  return Object.fromEntries(visible);
}

export interface ParsedForm<T> {
  submission: Submission<T>;
  reply(problem?: Problem): SubmissionResult;
}

/** @throws AppError `invalid` for an unknown field of a strict schema */
export function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
  { hide, long }: FormOptions,
): ParsedForm<z.infer<S>> {
  const submission = parseWithZod(pickKnownFields(form, schema), {
    schema,
    error: describeIssue,
  }) as Submission<z.infer<S>>;
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

export function screenProblem(error: unknown, context: EdgeContext): Problem {
  if (error instanceof AppError && error.retryAfter !== undefined) context.retryAfter(error.retryAfter);
  return toProblem(error, context.requestId);
}

/**
 * Runs a loader or action, normalizes texts for hydration and translates errors, which the boundary would
 * show as a bare 500.
 */
export async function onScreen<T>(context: EdgeContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return normalizeForHydration(await work());
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    if (!(error instanceof AppError)) throw error;
    const problem = screenProblem(error, context);
    throw data(problem, { status: problem.status, statusText: problem.title });
  }
}

interface FormField {
  schema: z.ZodType;
  control: { kind: string };
}

/** Values of fields that browsers omit, such as an unchecked switch. */
const ABSENT: Readonly<Record<string, unknown>> = { switch: false, text: "", textarea: "", code: "" };

const toList = (submitted: unknown) => (submitted === undefined ? [] : [submitted].flat());

/** Form fields from a field list, for `z.object`; each has its own schema and default. */
export function formShape(fields: Readonly<Record<string, FormField>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { schema, control }]) => [
      name,
      control.kind === "checks"
        ? z.preprocess(toList, schema)
        : control.kind in ABSENT
          ? schema.prefault(ABSENT[control.kind])
          : schema,
    ]),
  );
}
