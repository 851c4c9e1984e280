import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "./dialog";
import { FileTextField } from "./file-text-field";
import { type Result, readResult } from "./form-result";
import { Notice } from "./notice";

interface JsonImportDialogProps {
  title: string;
  description: string;
  hint?: string;
  submit: string;
  closeTo: string;
  result: Result;
}

/** For what was exported as JSON. */
export function JsonImportDialog(props: JsonImportDialogProps) {
  const { title, description, hint, submit, closeTo, result } = props;
  const { errors, formError, submitted } = readResult(result);
  return (
    <Dialog title={title} description={description} closeTo={closeTo}>
      <Form method="post" noValidate className="flex flex-col gap-4">
        {formError && !errors.json && <Notice kind="danger">{formError}</Notice>}
        <FileTextField
          label="JSON"
          name="json"
          hint={hint}
          accept=".json,application/json"
          fileLabel="Exported file"
          errors={errors.json}
          initialValue={String(submitted?.json ?? "")}
        />
        <FormActions closeTo={closeTo} intent="import" label={submit} />
      </Form>
    </Dialog>
  );
}
