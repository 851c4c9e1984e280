import { FileTextField } from "./file-text-field";
import { FormDialog } from "./form-dialog";
import { type Result, readResult } from "./form-result";

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
  const { errors, submitted } = readResult(result);
  return (
    <FormDialog
      title={title}
      description={description}
      closeTo={closeTo}
      result={result}
      problem={errors.json && null}
      intent="import"
      label={submit}
    >
      <FileTextField
        label="JSON"
        name="json"
        hint={hint}
        accept=".json,application/json"
        fileLabel="Exported file"
        errors={errors.json}
        initialValue={String(submitted?.json ?? "")}
      />
    </FormDialog>
  );
}
