import type { SubmissionResult } from "@conform-to/react";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { Dialog } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { Field, Input, Textarea } from "~/ui/input";
import { fieldProps, serverForm } from "~/ui/server-form";
import { type Template, TemplateList } from "./template-list";

interface DialogProps {
  closeTo: string;
  result?: SubmissionResult | null | undefined;
}

/** Creates a manual trigger and an AI Chat step. */
export function NewWorkflowDialog({ closeTo, result }: DialogProps) {
  const [, fields] = serverForm<"name" | "description">({ id: "workflow", lastResult: result });
  return (
    <FormDialog
      title="New Workflow"
      description="It opens in the builder with a manual trigger and an AI Chat step, and stays disabled until you enable it."
      closeTo={closeTo}
      result={result}
      form={{ preventScrollReset: false }}
      intent="create"
      label="Create Workflow"
    >
      <Field label="Name" {...fieldProps(fields.name)} required>
        <Input defaultValue={fields.name.initialValue} autoComplete="off" autoFocus />
      </Field>
      <Field label="Description" {...fieldProps(fields.description)}>
        <Textarea rows={3} defaultValue={fields.description.initialValue} />
      </Field>
    </FormDialog>
  );
}

interface DeleteDialogProps {
  name: string;
  closeTo: string;
  id?: string;
}

export function DeleteWorkflowDialog({ name, closeTo, id }: DeleteDialogProps) {
  return (
    <ConfirmDialog
      title={`Delete "${name}"?`}
      description="Its versions and runs are deleted too, and runs in progress are canceled. This can't be undone."
      closeTo={closeTo}
      intent="delete"
      {...(id ? { values: { id } } : {})}
      confirmLabel="Delete Workflow"
    />
  );
}

interface ChangeAddressDialogProps {
  triggerId: string;
  isForm: boolean;
  closeTo: string;
}

export function ChangeAddressDialog({ triggerId, isForm, closeTo }: ChangeAddressDialogProps) {
  return (
    <ConfirmDialog
      title={isForm ? "Change the form's address?" : "Change the webhook's address?"}
      description={
        isForm
          ? "The present link stops working at once: nobody who has it can open or send the form. Give people the new link."
          : "The present address stops working at once: calls to it fail. Enter the new address in each program that calls it."
      }
      closeTo={closeTo}
      intent="rotate"
      values={{ trigger: triggerId }}
      confirmLabel="Change Address"
    />
  );
}

export function TemplatesDialog({ closeTo, templates }: { closeTo: string; templates: readonly Template[] }) {
  return (
    <Dialog
      title="Templates"
      description="Choose a workflow to start with. Nothing runs until you save it."
      closeTo={closeTo}
      size="lg"
    >
      <TemplateList templates={templates} className="sm:grid-cols-2" />
    </Dialog>
  );
}
