import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { Textarea } from "~/ui/input";
import { IMPORT_TOO_LONG, MAX_IMPORT } from "../../ingestion/text-length.shared";
import { useTextLimit } from "../ingestion/use-text-limit";

export function ImportDialog({
  closeTo,
  sent,
  error,
}: {
  closeTo: string;
  sent: string | undefined;
  error: string | undefined;
}) {
  const limit = useTextLimit("json", MAX_IMPORT, IMPORT_TOO_LONG);
  return (
    <Dialog
      title="Import Questions"
      description="Documents are matched by id or name. Existing questions are skipped."
      closeTo={closeTo}
    >
      <Form
        method="post"
        action="/rag/check?dialog=import"
        encType="multipart/form-data"
        onSubmit={limit.onSubmit}
      >
        <Field
          label="Exported questions"
          name="json"
          error={limit.error ?? error}
          hint="Paste the content of an exported JSON file"
          required
        >
          <Textarea rows={12} defaultValue={sent} className="font-mono text-xs" spellCheck={false} />
        </Field>
        <FormActions closeTo={closeTo} intent="import" label="Import" />
      </Form>
    </Dialog>
  );
}
