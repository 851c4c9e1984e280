import type { SubmissionResult } from "@conform-to/react";
import { Form, Link } from "@remix-run/react";
import { cx } from "~/ui/class-names";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { Dialog, FormActions } from "~/ui/dialog";
import { countOf } from "~/ui/format";
import { Field, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, serverForm } from "~/ui/server-form";
import type { TemplatePicture } from "../template-picture.shared";
import { TemplateDrawing } from "./builder/part-icon";

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

interface Template {
  id: string;
  name: string;
  description: string;
  steps: number;
  /** The plugin's title. */
  from: string | null;
  picture: TemplatePicture;
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

/** Links that open a template in the builder. */
export function TemplateList({
  templates,
  className,
}: {
  templates: readonly Template[];
  className: string;
}) {
  return (
    <ul className={cx("grid gap-3", className)}>
      {templates.map(({ id, name, description, steps, from, picture }) => (
        <li
          key={id}
          className="relative flex flex-col rounded-lg border border-line bg-surface p-3 hover:bg-hover"
        >
          <div className="mb-3 rounded-md border border-line bg-sunken p-2">
            <TemplateDrawing picture={picture} />
          </div>
          <Link
            to={`/workflows/builder?template=${id}`}
            className="font-medium after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-[-2px]"
          >
            {name}
          </Link>
          <p className="mt-0.5 text-pretty text-muted">{description}</p>
          <p className="mt-1 text-muted text-xs">
            {countOf(steps, "step")}
            {from && ` · from ${from}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
