import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { Dialog, FormActions } from "~/ui/dialog";
import { Field, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, serverForm } from "~/ui/server-form";
import { type Template, TemplateList } from "./template-list";

interface DialogProps {
  closeTo: string;
  result?: SubmissionResult | null | undefined;
}

/** Creates a manual trigger and an AI Chat step. */
export function NewWorkflowDialog({ closeTo, result }: DialogProps) {
  const [form, fields] = serverForm<"name" | "description">({ id: "workflow", lastResult: result });
  return (
    <Dialog
      title="New Workflow"
      description="It opens in the builder with a manual trigger and an AI Chat step, and stays disabled until you enable it."
      closeTo={closeTo}
    >
      <Form method="post" {...formProps(form)} className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        <Field label="Name" id={fields.name.id} name="name" error={fields.name.errors} required>
          <Input defaultValue={fields.name.initialValue} autoComplete="off" autoFocus />
        </Field>
        <Field
          label="Description"
          id={fields.description.id}
          name="description"
          error={fields.description.errors}
        >
          <Textarea rows={3} defaultValue={fields.description.initialValue} />
        </Field>
        <FormActions closeTo={closeTo} intent="create" label="Create Workflow" />
      </Form>
    </Dialog>
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
