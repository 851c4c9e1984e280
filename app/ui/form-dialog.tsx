import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "./dialog";
import { Notice } from "./notice";

interface FormDialogProps {
  title: string;
  description: string;
  size?: "lg";
  closeTo: string;
  /** From `serverForm`. */
  form: { id: string; errors: string[] | undefined };
  /** What the server refused, whose first error takes the focus. */
  result: SubmissionResult | undefined;
  /** Of what is changed; none for something new. */
  record: string | undefined;
  /** The noun on the button that adds one. */
  noun: string;
  children: ReactNode;
}

/** A dialog that adds one thing of a list, or changes it: with the intents `create` and `update`. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, size, closeTo, form, result, record, noun, children } = props;
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  return (
    <Dialog title={title} description={description} closeTo={closeTo} {...(size ? { size } : {})}>
      {/* The browser's own bubbles would hide the messages beside the fields. */}
      <Form id={form.id} method="post" noValidate ref={element} className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        {record && <input type="hidden" name="id" value={record} />}
        {children}
        <FormActions
          closeTo={closeTo}
          intent={record ? "update" : "create"}
          label={record ? "Save Changes" : `Create ${noun}`}
        />
      </Form>
    </Dialog>
  );
}
