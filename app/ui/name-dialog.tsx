import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "./dialog";
import { type Result, readResult } from "./form-result";
import { Field, Input } from "./input";
import { Notice } from "./notice";

interface NameDialogProps {
  title: string;
  label?: string;
  field?: "name" | "title";
  value?: string;
  /** In characters. */
  maxLength: number;
  intent: string;
  submit: string;
  id?: string;
  closeTo: string;
  result: Result;
}

/** Names something new, or what `id` names again. */
export function NameDialog(props: NameDialogProps) {
  const { title, label = "Name", field = "name", value, id, closeTo } = props;
  const form = useRef<HTMLFormElement>(null);
  const { errors, formError, submitted } = readResult(props.result);
  useFocusFirstError(form, props.result);
  return (
    <Dialog title={title} size="sm" closeTo={closeTo}>
      <Form ref={form} method="post" preventScrollReset noValidate>
        {formError && !errors[field] && (
          <Notice kind="danger" className="mb-4">
            {formError}
          </Notice>
        )}
        {id && <input type="hidden" name="id" value={id} />}
        <Field label={label} name={field} error={errors[field]} required>
          <Input
            defaultValue={String(submitted?.[field] ?? value ?? "")}
            autoComplete="off"
            maxLength={props.maxLength}
          />
        </Field>
        <FormActions closeTo={closeTo} intent={props.intent} label={props.submit} />
      </Form>
    </Dialog>
  );
}
