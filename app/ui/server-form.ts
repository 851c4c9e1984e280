import { errorsOf, type Result } from "./form-result";

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
  /** The values of a multi-value field. */
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
