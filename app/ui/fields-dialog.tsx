import { Form } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import type { FieldSpec } from "~/core/field.schema";
import { Dialog, FormActions, useFocusFirstError } from "./dialog";
import { FormFields } from "./form-fields";
import { type Result, readResult } from "./form-result";
import { Notice } from "./notice";

interface FieldsDialogProps {
  title: string;
  description?: string;
  /** Shown above an error of the whole form. */
  failure: string;
  fields: Record<string, FieldSpec>;
  values: Record<string, unknown>;
  intent: string;
  label: string;
  closeTo: string;
  result: Result;
  /** Before the buttons. */
  children?: ReactNode;
}

/** A dialog with one form, drawn from its fields. */
export function FieldsDialog(props: FieldsDialogProps) {
  const { title, description, failure, fields, values, intent, label, closeTo, result, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { formError } = readResult(result);
  return (
    <Dialog title={title} description={description} closeTo={closeTo}>
      <Form method="post" preventScrollReset ref={form} className="flex flex-col gap-4">
        {formError && (
          <Notice kind="danger" title={failure}>
            {formError}
          </Notice>
        )}
        <FormFields fields={fields} values={values} result={result} />
        {children}
        <FormActions closeTo={closeTo} intent={intent} label={label} />
      </Form>
    </Dialog>
  );
}
