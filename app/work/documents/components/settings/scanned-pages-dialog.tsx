import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import type { Result } from "~/ui/form-result";
import type { RecognitionForm } from "./scanned-pages-card";

interface ScannedPagesDialogProps {
  form: RecognitionForm;
  closeTo: string;
  result: Result;
}

export function ScannedPagesDialog({ form, closeTo, result }: ScannedPagesDialogProps) {
  return (
    <FormDialog
      title="Scanned Pages"
      failure="Settings not saved"
      intent="save-recognition"
      label="Save"
      closeTo={closeTo}
      result={result}
    >
      <FormFields fields={form.fields} values={form.values} result={result} />
      <p className="text-pretty text-muted text-xs">
        Saving a server is consent to send it the pictures of all scanned pages, of restricted documents too.
        The built-in reader sends nothing.
      </p>
    </FormDialog>
  );
}
