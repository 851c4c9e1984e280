import type { SubmissionResult } from "@conform-to/react";
import { useNavigation } from "@remix-run/react";
import { useRef } from "react";
import { useFocusFirstError } from "~/ui/dialog";
import { serverForm } from "~/ui/form-result";

export type Result = SubmissionResult<string[]> | null | undefined;

/** Result, focus on the first error, and pending state of a text form. */
export function useTextForm<Name extends string>(
  id: string,
  result: Result,
  defaults?: Partial<Record<Name, string>>,
) {
  const [form, fields] = serverForm<Name>({ id, lastResult: result, defaultValue: defaults });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  const posted = navigation.state !== "idle" && navigation.formMethod === "POST";
  return { form, fields, element, pending: posted, intent: navigation.formData?.get("intent") };
}
