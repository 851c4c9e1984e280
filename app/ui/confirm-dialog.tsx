import { Form, useActionData, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, LinkButton } from "./button";
import { Dialog, DialogActions } from "./dialog";
import { splitMessage } from "./format";
import { HiddenFields } from "./input";
import { Notice } from "./notice";

interface ConfirmDialogProps {
  title: ReactNode;
  description: ReactNode;
  closeTo: string;
  action?: string;
  intent: string;
  values?: Record<string, string>;
  confirmLabel: string;
  /** Most are asked before something is lost. */
  tone?: "danger" | "primary";
  fields?: ReactNode;
  children?: ReactNode;
}

interface Refused {
  failed?: { title: string; description: string };
}

/** Why the form that was sent last failed. */
export function FailedNotice({ className }: { className?: string }) {
  const failed = useActionData<Refused>()?.failed;
  if (!failed) return null;
  return (
    <Notice kind="danger" title={failed.title} {...(className && { className })}>
      {failed.description}
    </Notice>
  );
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const navigation = useNavigation();
  const pending = navigation.state !== "idle" && navigation.formData?.get("intent") === props.intent;
  return (
    <Dialog
      role="alertdialog"
      size="sm"
      title={props.title}
      description={props.description}
      closeTo={props.closeTo}
    >
      {navigation.state === "idle" && <FailedNotice className="mb-4" />}
      {props.children}
      <Form method="post" action={props.action} preventScrollReset>
        <HiddenFields values={props.values} />
        {props.fields}
        <DialogActions withoutContent={props.children === undefined && props.fields === undefined}>
          <LinkButton to={props.closeTo} preventScrollReset>
            Cancel
          </LinkButton>
          <Button variant={props.tone ?? "danger"} name="intent" value={props.intent} pending={pending}>
            {props.confirmLabel}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

interface MessageDialogProps {
  title: ReactNode;
  description?: ReactNode;
  closeTo: string;
}

export function MessageDialog({ title, description, closeTo }: MessageDialogProps) {
  return (
    <Dialog size="sm" title={title} description={description} closeTo={closeTo}>
      <DialogActions withoutContent>
        <LinkButton to={closeTo} preventScrollReset>
          Close
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}

interface MissingDialogProps {
  message: string;
  closeTo: string;
}

export function MissingDialog({ message, closeTo }: MissingDialogProps) {
  const { title, rest } = splitMessage(message);
  return <MessageDialog title={title} description={rest || undefined} closeTo={closeTo} />;
}

interface RecordDialogProps<T> {
  record: T | undefined;
  /** Said where there is none. */
  missing: string;
  closeTo: string;
  children: (record: T) => ReactNode;
}

/** The dialog of the record that an address names, or one that says that there is none. */
export const RecordDialog = <T,>({ record, missing, closeTo, children }: RecordDialogProps<T>): ReactNode =>
  record === undefined ? <MissingDialog message={missing} closeTo={closeTo} /> : children(record);
