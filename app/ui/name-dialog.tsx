import { FormDialog } from "./form-dialog";
import { type Result, readResult } from "./form-result";
import { Field, Input } from "./input";

interface NameDialogProps {
  title: string;
  label?: string;
  field?: "name" | "title";
  value?: string;
  /** In characters. */
  maxLength: number;
  intent: string;
  submit: string;
  id?: string;
  closeTo: string;
  result: Result;
}

/** Names something new, or what `id` names again. */
export function NameDialog(props: NameDialogProps) {
  const { title, label = "Name", field = "name", value, id, closeTo, result } = props;
  const { errors, submitted } = readResult(result);
  return (
    <FormDialog
      title={title}
      size="sm"
      closeTo={closeTo}
      result={result}
      problem={errors[field] && null}
      hidden={{ id }}
      intent={props.intent}
      label={props.submit}
    >
      <Field label={label} name={field} error={errors[field]} required>
        <Input
          defaultValue={String(submitted?.[field] ?? value ?? "")}
          autoComplete="off"
          maxLength={props.maxLength}
        />
      </Field>
    </FormDialog>
  );
}
