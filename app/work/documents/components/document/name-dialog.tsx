import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";

interface NameDialogProps {
  title: string;
  id?: string;
  name?: string;
  /** In characters. */
  maxLength: number;
  intent: string;
  label: string;
  closeTo: string;
  result: Result;
}

export function NameDialog({ title, id, name, maxLength, intent, label, closeTo, result }: NameDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, formError, submitted } = readResult(result);
  useFocusFirstError(form, result);
  return (
    <Dialog title={title} size="sm" closeTo={closeTo}>
      <Form ref={form} method="post" preventScrollReset noValidate>
        {formError && !errors.name && (
          <Notice kind="danger" className="mb-4">
            {formError}
          </Notice>
        )}
        {id && <input type="hidden" name="id" value={id} />}
        <Field label="Name" name="name" error={errors.name} required>
          <Input
            defaultValue={String(submitted?.name ?? name ?? "")}
            autoComplete="off"
            maxLength={maxLength}
          />
        </Field>
        <FormActions closeTo={closeTo} intent={intent} label={label} />
      </Form>
    </Dialog>
  );
}
