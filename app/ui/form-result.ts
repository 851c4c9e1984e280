import type { SubmissionResult } from "@conform-to/react";

export type Result = SubmissionResult<string[]> | null | undefined;

interface Refusal {
  errors: Record<string, string[]>;
  formError: string | undefined;
  submitted: Record<string, unknown> | undefined;
}

/** Adds what to do if the form's record was deleted while it was edited. */
export function explainFormError(formError: string | undefined, isMissing: boolean): string | undefined {
  return isMissing && formError ? `${formError} Add it again to keep what you typed.` : formError;
}

export const submittedText = (value: unknown): string => (typeof value === "string" ? value : "");

function errorsOf(result: Result): Record<string, string[]> {
  const entries = Object.entries(result?.error ?? {});
  return Object.fromEntries(entries.flatMap(([name, list]) => (list ? [[name, list]] : [])));
}

/** Only the server validates, so that no validation library is loaded. */
export function readResult(result: Result): Refusal {
  const errors = errorsOf(result);
  return { errors, formError: errors[""]?.[0], submitted: result?.initialValue ?? undefined };
}

interface ServerFormOptions<Name extends string> {
  id: string;
  lastResult: Result;
  defaultValue?: Partial<Record<Name, unknown>> | undefined;
}

export interface ServerField {
  id: string;
  name: string;
  errors: string[] | undefined;
  initialValue: string | undefined;
  initialValues: string[];
}

const textOf = (value: unknown) =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

/** Validated by the server only: conform's hook would load its validation code. */
export function serverForm<Name extends string>({ id, lastResult, defaultValue }: ServerFormOptions<Name>) {
  const allErrors = errorsOf(lastResult);
  const submitted = lastResult?.initialValue;
  const values: Record<string, unknown> = { ...(submitted ?? defaultValue) };
  const field = (name: string): ServerField => ({
    id: `${id}-${name}`,
    name,
    errors: allErrors[name],
    initialValue: textOf(values[name]),
    initialValues: [values[name] ?? []].flat().map(String),
  });
  const fields = new Proxy({} as Record<Name, ServerField>, { get: (_, name) => field(String(name)) });
  const form = { id, errors: allErrors[""], allErrors, initialValue: submitted ?? defaultValue };
  return [form, fields] as const;
}

/** Version for the next save: after a conflict, which showed the difference, the saved one. */
export const editedVersion = (field: ServerField, saved: string | undefined) =>
  saved && (field.errors ? saved : (field.initialValue ?? saved));

export const formProps = ({ id }: { id: string }) => ({ id, noValidate: true });

/** For a `Field`. */
export const fieldProps = ({ id, name, errors }: ServerField) => ({ id, name, error: errors });

export function inputProps(field: ServerField, type: "text" | "email" | "password" | "number") {
  return {
    id: field.id,
    name: field.name,
    type,
    ...(type === "password" ? {} : { defaultValue: field.initialValue }),
  };
}
