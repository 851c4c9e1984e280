import { type DefaultValue, getInputProps, type SubmissionResult, useForm } from "@conform-to/react";
import { useNavigation } from "@remix-run/react";
import { useRef } from "react";
import { useFocusFirstError } from "~/ui/dialog";

export type Result = SubmissionResult<string[]> | null | undefined;

/** A form of plain text fields: the server's answer, the focus on its first error, and whether it is under way. */
export function useTextForm<Name extends string>(
  id: string,
  result: Result,
  defaults?: DefaultValue<Record<Name, string>>,
) {
  const [form, fields] = useForm<Record<Name, string>>({
    id,
    lastResult: result ?? null,
    ...(defaults ? { defaultValue: defaults } : {}),
  });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  const posted = navigation.state !== "idle" && navigation.formMethod === "POST";
  return { form, fields, element, pending: posted, intent: navigation.formData?.get("intent") };
}

/** conform's input properties without the key, which React wants outside a spread. */
export function inputProps(
  field: Parameters<typeof getInputProps>[0],
  type: "text" | "email" | "password" | "number",
) {
  const { key: _, ...props } = getInputProps(field, { type });
  return props;
}
