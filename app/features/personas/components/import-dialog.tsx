import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { Textarea } from "~/ui/input";
import { serverForm } from "~/ui/server-form";

interface ImportPersonasDialogProps {
  closeTo: string;
  result: SubmissionResult | undefined;
}

export function ImportPersonasDialog({ closeTo, result }: ImportPersonasDialogProps) {
  const [, fields] = serverForm<"json">({ id: "import", lastResult: result });
  return (
    <Dialog
      title="Import Personas"
      description="Add personas that were exported as JSON; only you and admins see them at first"
      closeTo={closeTo}
    >
      <Form method="post" noValidate className="flex flex-col gap-4">
        <Field
          label="JSON"
          name="json"
          error={fields.json.errors}
          hint="Paste the content of the file. Tools that aren't installed here are left out."
          required
        >
          <Textarea rows={10} defaultValue={fields.json.initialValue} className="font-mono" />
        </Field>
        <FormActions closeTo={closeTo} intent="import" label="Import" />
      </Form>
    </Dialog>
  );
}
