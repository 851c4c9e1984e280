import type { SubmissionResult } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { Button, LinkButton } from "./button";
import { cx } from "./class-names";
import { lazyPart, onFirstUse } from "./lazy-part";
import { Notice } from "./notice";

const box = lazyPart(() => import("./dialog-box").then((module) => module.DialogBox), "dialog[open]");
onFirstUse(box.preload);

/** Loads its code on the first interaction with the page, or with a page that shows a dialog. */
export const Dialog = box.Part;

interface FormActionsProps {
  closeTo: string;
  intent: string;
  label: string;
  disabled?: boolean;
  withoutContent?: boolean;
}

export function FormActions({ closeTo, intent, label, disabled, withoutContent }: FormActionsProps) {
  const navigation = useNavigation();
  return (
    <DialogActions withoutContent={withoutContent}>
      <LinkButton to={closeTo} preventScrollReset>
        Cancel
      </LinkButton>
      <Button
        variant="primary"
        name="intent"
        value={intent}
        pending={navigation.formData?.get("intent") === intent}
        {...(disabled === undefined ? {} : { disabled })}
      >
        {label}
      </Button>
    </DialogActions>
  );
}

export function DialogActions({
  children,
  withoutContent,
}: {
  children: ReactNode;
  withoutContent?: boolean | undefined;
}) {
  return (
    <footer
      className={cx(
        "-mx-5 -mb-4 sticky bottom-[-1rem] short:static flex flex-wrap justify-end gap-2 bg-raised px-5 py-3",
        withoutContent ? "-mt-4" : "mt-5 border-line border-t",
      )}
    >
      {children}
    </footer>
  );
}

export function useFocusFirstError(form: React.RefObject<HTMLFormElement>, errors: unknown): void {
  useEffect(() => {
    if (!errors) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, errors]);
}

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
