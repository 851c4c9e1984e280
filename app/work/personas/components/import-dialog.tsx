import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import { serverForm } from "~/ui/form-result";
import { JsonImportField } from "~/ui/json-import-field";

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
        <JsonImportField
          errors={fields.json.errors}
          initialValue={fields.json.initialValue}
          hint="Paste the content of an exported file. Tools that aren't installed here are left out."
          rows={10}
        />
        <FormActions closeTo={closeTo} intent="import" label="Import" />
      </Form>
    </Dialog>
  );
}
