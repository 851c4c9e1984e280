import { ChoiceList } from "~/ui/choice-list";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { FieldError } from "~/ui/input";
import type { Widget } from "../widgets.schema";
import {
  answerFields,
  BUDGET_FIELDS,
  LIMIT_FIELDS,
  SHOWN_FIELDS,
  WIDGET_DEFAULTS,
  type WidgetOptions,
} from "../widgets.shared";

interface WidgetDialogProps {
  widget?: Widget | undefined;
  choices: WidgetOptions & { tools: readonly { id: string; name: string; hint: string }[] };
  closeTo: string;
  result: Result;
}

export function WidgetDialog({ widget, choices, closeTo, result }: WidgetDialogProps) {
  const { errors, submitted } = readResult(result);
  const values = widget ?? WIDGET_DEFAULTS;
  const version = errors.updatedAt ? "" : submittedText(submitted?.updatedAt);
  return (
    <FormDialog
      title={widget ? "Edit Widget" : "New Widget"}
      description="A chat that anyone on the sites you allow can use"
      size="lg"
      closeTo={closeTo}
      result={result}
      hidden={{ updatedAt: version || widget?.updatedAt }}
      intent={widget ? "update" : "create"}
      label={widget ? "Save Changes" : "Create Widget"}
    >
      <FormFields fields={SHOWN_FIELDS} values={values} result={result} />
      <FormFields fields={answerFields(choices)} values={values} result={result} columns />
      <fieldset>
        <legend className="mb-1 font-medium text-ink text-sm">Tools</legend>
        <p className="mb-2 text-muted text-xs">
          Only those that read and need no approval. Any visitor can have the model call them.
        </p>
        <ChoiceList
          label="Tools"
          name="tools"
          options={choices.tools}
          chosen={[submitted ? (submitted.tools ?? []) : (widget?.tools ?? [])].flat()}
          empty="There are none."
        />
        {errors.tools && <FieldError>{errors.tools[0]}</FieldError>}
      </fieldset>
      <FormFields
        fields={{ ...LIMIT_FIELDS, ...(!widget && BUDGET_FIELDS) }}
        values={values}
        result={result}
        columns
      />
    </FormDialog>
  );
}
