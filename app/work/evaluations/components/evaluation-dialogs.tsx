import type { SubmissionResult } from "@conform-to/react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import { FormDialog } from "~/ui/form-dialog";
import { Field, Input, Select, Textarea } from "~/ui/input";
import { fieldProps, inputProps, serverForm } from "~/ui/server-form";
import type { QuestionForm } from "../evaluations.schema";

/** Of a run by the form; the API takes more. */
const FORM_SUBJECTS = 4;

interface DialogProps {
  closeTo: string;
  result: SubmissionResult<string[]> | null | undefined;
}

interface QuestionDialogProps extends DialogProps {
  id?: string | undefined;
  values: Partial<Record<keyof QuestionForm, string | undefined>>;
}

/** A question with the traits of a good answer. */
export function QuestionDialog({ id, values, closeTo, result }: QuestionDialogProps) {
  const [form, fields] = serverForm<keyof QuestionForm>({
    id: `question-${id ?? "new"}`,
    lastResult: result,
    defaultValue: values,
  });
  const area = (name: keyof QuestionForm, label: string, hint: string, rows = 2, isCode = false) => (
    <Field {...fieldProps(fields[name])} label={label} hint={hint} required={name === "question"}>
      <Textarea
        rows={rows}
        defaultValue={fields[name].initialValue}
        spellCheck={!isCode}
        className={isCode ? "font-mono text-xs" : undefined}
      />
    </Field>
  );
  return (
    <FormDialog
      title={id ? "Edit Question" : "Add Question"}
      description="An answer passes with all the traits that you name; name at least one."
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={Object.keys(form.allErrors).some((name) => name !== "") ? null : form.errors?.join(" ")}
      hidden={{ id }}
      intent="save"
      label={id ? "Save Changes" : "Add Question"}
    >
      {area("question", "Question", "As a person would ask it", 3)}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {area("contains", "Contains", "Texts that the answer contains, one a line; case doesn't matter")}
        {area("lacks", "Doesn't contain", "Texts that it doesn't contain, one a line")}
        <Field
          {...fieldProps(fields.pattern)}
          label="Matches a pattern"
          hint="A regular expression, such as \d+ days"
        >
          <Input {...inputProps(fields.pattern, "text")} spellCheck={false} className="font-mono" />
        </Field>
        <Field
          {...fieldProps(fields.document)}
          label="Cites a document"
          hint="Name or address of one that everyone can see; the question is asked with passages found for it"
        >
          <Input {...inputProps(fields.document, "text")} />
        </Field>
      </div>
      {area("rubric", "Rubric", "A model judges the answer by it, if it has the other traits")}
      {area("jsonSchema", "JSON Schema", "The answer is JSON that fits it", 2, true)}
    </FormDialog>
  );
}

interface RunDialogProps extends DialogProps {
  models: readonly OfferedModel[];
  defaultModel: string;
  personas: readonly { id: string; name: string }[];
  prompts: readonly { id: string; name: string }[];
  questions: number;
  needsJudge: boolean;
  isShared: boolean;
}

/** What answers the questions: models, personas and prompts in up to four combinations. */
export function RunDialog(props: RunDialogProps) {
  const { models, defaultModel, personas, prompts, questions, needsJudge, isShared, closeTo, result } = props;
  const [form, fields] = serverForm<"judge" | "limit">({
    id: "run",
    lastResult: result,
    defaultValue: { judge: defaultModel, limit: "1" },
  });
  const submitted = form.initialValue as { subjects?: (Record<string, string> | undefined)[] } | undefined;
  const chosen = result ? (submitted?.subjects ?? []) : [{ model: defaultModel }];
  const choice = (
    at: number,
    name: string,
    label: string,
    options: readonly { id: string; name: string }[],
  ) => (
    <Field label={label} name={`subjects[${at}].${name}`} error={form.allErrors[`subjects[${at}].${name}`]}>
      <Select defaultValue={chosen[at]?.[name] ?? ""}>
        <option value="">None</option>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
  const subjectErrors = form.allErrors.subjects;
  return (
    <FormDialog
      title="New Run"
      description={`Each subject answers ${questions === 1 ? "the question" : `all ${questions} questions`}, in the background and from your budgets.${isShared ? " Everyone in the organization sees the answers." : ""}`}
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={
        subjectErrors?.[0] ?? (Object.keys(form.allErrors).some(Boolean) ? null : form.errors?.join(" "))
      }
      intent="run"
      label="Start Run"
    >
      {Array.from({ length: FORM_SUBJECTS }, (_, at) => `Subject ${at + 1}`).map((title, at) => (
        <fieldset key={title} className="grid items-start gap-x-3 gap-y-2 sm:grid-cols-3">
          <legend className="mb-1 text-muted text-xs">{at === 0 ? title : `${title} (optional)`}</legend>
          <Field label="Model" name={`subjects[${at}].model`} error={form.allErrors[`subjects[${at}].model`]}>
            <ModelPicker models={models} blank="Default" defaultValue={chosen[at]?.model ?? ""} />
          </Field>
          {choice(at, "personaId", "Persona", personas)}
          {choice(at, "promptId", "Prompt", prompts)}
        </fieldset>
      ))}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {needsJudge && (
          <Field {...fieldProps(fields.judge)} label="Judge" hint="Model that judges by the rubrics" required>
            <ModelPicker models={models} blank="Choose a model" defaultValue={fields.judge.initialValue} />
          </Field>
        )}
        <Field
          {...fieldProps(fields.limit)}
          label="Spending limit, in US dollars"
          hint="The run ends once it has cost so much; leave it blank for none"
        >
          <Input {...inputProps(fields.limit, "number")} min={0} step="any" inputMode="decimal" />
        </Field>
      </div>
    </FormDialog>
  );
}
