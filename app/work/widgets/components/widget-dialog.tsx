import type { Option } from "~/core/field.schema";
import { ChoiceList } from "~/ui/choice-list";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { FieldError } from "~/ui/input";
import type { Widget } from "../widgets.schema";
import { WIDGET_DEFAULTS, WIDGET_FIELDS } from "../widgets.shared";

type Name = keyof typeof WIDGET_FIELDS;

interface WidgetDialogProps {
  widget?: Widget | undefined;
  choices: Record<"persona" | "model" | "documents", Option[]> & {
    tools: readonly { id: string; name: string; hint: string }[];
  };
  closeTo: string;
  result: Result;
}

const SHOWN: readonly Name[] = ["name", "greeting", "starters", "origins"];
const ANSWERS: readonly Name[] = ["persona", "model", "documents", "color"];
const LIMITS: readonly Name[] = [
  "perVisitor",
  "perNetwork",
  "maxLength",
  "maxQuestions",
  "retentionDays",
  "expiresOn",
];

export function WidgetDialog({ widget, choices, closeTo, result }: WidgetDialogProps) {
  const { errors, submitted } = readResult(result);
  const { tools, ...selects } = choices;
  const values = widget
    ? { ...widget, starters: widget.starters.join("\n"), origins: widget.origins.join("\n") }
    : WIDGET_DEFAULTS;
  const draw = (names: readonly Name[], columns = true) => {
    const fields = names.map((name) => {
      const options = name in selects ? selects[name as keyof typeof selects] : undefined;
      const spec = WIDGET_FIELDS[name];
      return [name, options ? { ...spec, control: { kind: "select" as const, options } } : spec] as const;
    });
    return (
      <FormFields fields={Object.fromEntries(fields)} values={values} result={result} columns={columns} />
    );
  };
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
      {draw(SHOWN, false)}
      {draw(ANSWERS)}
      <fieldset>
        <legend className="mb-1 font-medium text-ink text-sm">Tools</legend>
        <p className="mb-2 text-muted text-xs">
          Only those that read and need no approval. Any visitor can have the model call them.
        </p>
        <ChoiceList
          label="Tools"
          name="tools"
          options={tools}
          chosen={[submitted ? (submitted.tools ?? []) : (widget?.tools ?? [])].flat()}
          empty="There are none."
        />
        {errors.tools && <FieldError>{errors.tools[0]}</FieldError>}
      </fieldset>
      {draw(widget ? LIMITS : [...LIMITS, "budget", "budgetPeriod"])}
    </FormDialog>
  );
}
