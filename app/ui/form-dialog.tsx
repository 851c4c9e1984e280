import { Form, type FormProps } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import { cx } from "./class-names";
import { Dialog, FormActions, useFocusFirstError } from "./dialog";
import type { DialogProps } from "./dialog-box";
import { type Result, readResult } from "./form-result";
import { HiddenFields } from "./input";
import { Notice } from "./notice";

interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "size" | "closeTo"> {
  /** Whose errors get the focus; left out where an action shows none of its own. */
  result?: Result;
  /** Stands above an error of the whole form. */
  failure?: string | undefined;
  /** In place of the result's error of the whole form; null where a field says it. */
  problem?: ReactNode;
  hidden?: Record<string, string | undefined>;
  /** Above the form. */
  above?: ReactNode;
  form?: Omit<FormProps, "method" | "ref" | "children">;
  intent: string;
  label: string;
  disabled?: boolean;
  children?: ReactNode;
}

/** A dialog that is one form, validated by the server alone. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, size, closeTo, result, failure, hidden, above, children } = props;
  const { intent, label, disabled } = props;
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const problem = props.problem === undefined ? readResult(result).formError : props.problem;
  return (
    <Dialog title={title} description={description} size={size} closeTo={closeTo}>
      {above}
      {/* Native bubbles would hide our messages. */}
      <Form
        preventScrollReset
        noValidate
        {...props.form}
        className={cx("flex flex-col gap-4", props.form?.className)}
        method="post"
        ref={form}
      >
        {problem && (
          <Notice kind="danger" title={failure}>
            {problem}
          </Notice>
        )}
        <HiddenFields values={hidden} />
        {children}
        <FormActions
          closeTo={closeTo}
          intent={intent}
          label={label}
          disabled={disabled}
          withoutContent={!children && !problem}
        />
      </Form>
    </Dialog>
  );
}
