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
  form: { id: string; errors: string[] | undefined };
  result: SubmissionResult | undefined;
  record: string | undefined;
  /** Whether the record was deleted while it was edited: the typed values can be saved as a new one. */
  isMissing?: boolean | undefined;
  updatedAt: string | undefined;
  noun: string;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, description, size, closeTo, form, result, record, isMissing, updatedAt, noun, children } =
    props;
  const problems = [
    ...(form.errors ?? []),
    ...(isMissing ? ["Create it again to keep what you typed."] : []),
  ];
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  return (
    <Dialog title={title} description={description} closeTo={closeTo} {...(size ? { size } : {})}>
      {/* Native bubbles would hide our messages. */}
      <Form id={form.id} method="post" noValidate ref={element} className="flex flex-col gap-4">
        {problems.length > 0 && <Notice kind="danger">{problems.join(" ")}</Notice>}
        {record && <input type="hidden" name="id" value={record} />}
        {updatedAt && <input type="hidden" name="updatedAt" value={updatedAt} />}
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
