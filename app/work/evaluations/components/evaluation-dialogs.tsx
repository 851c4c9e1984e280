import { Link } from "@remix-run/react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import type { FieldSpec } from "~/core/field.schema";
import { FormDialog } from "~/ui/form-dialog";
import { FormField, FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { countOf } from "~/ui/format";
import { Field, GroupedOptions, Input, Select } from "~/ui/input";
import type { Expects } from "../evaluations.schema";

interface DialogProps {
  closeTo: string;
  result: Result;
}

interface Named {
  id: string;
  name: string;
}

const toOptions = (list: readonly Named[]) => list.map(({ id, name }) => ({ value: id, label: name }));

const area = (label: string, hint: string): FieldSpec => ({ label, hint, control: { kind: "textarea" } });
const line = (label: string, hint: string): FieldSpec => ({ label, hint, control: { kind: "text" } });

const QUESTION: FieldSpec = { ...area("Question", "As a person would ask it"), required: true };

const TRAITS: Record<keyof Expects, FieldSpec> = {
  contains: area("Contains", "Texts that the answer contains, one a line; case doesn't matter"),
  lacks: area("Doesn't contain", "Texts that it doesn't contain, one a line"),
  rubric: area("Rubric", "A model judges the answer by it, if it has the other traits"),
  jsonSchema: area("JSON Schema", "The answer is JSON that fits it"),
  pattern: line("Matches a pattern", "A regular expression, such as \\d+ days"),
  documentId: line(
    "Cites a document",
    "Name or address of one that everyone can see; the question is asked with passages found for it",
  ),
};

interface QuestionDialogProps extends DialogProps {
  id?: string | undefined;
  question?: string | null | undefined;
  expects?: Partial<Record<keyof Expects, unknown>> | undefined;
  /** To choose from where a question is made of something else. */
  sets?: readonly Named[];
}

/** A question with the traits of a good answer. */
export function QuestionDialog({ id, question, expects = {}, sets, closeTo, result }: QuestionDialogProps) {
  const { errors, formError, submitted } = readResult(result);
  const isInFields = Object.keys(errors).some((name) => name !== "" && name !== "expects");
  return (
    <FormDialog
      title={sets ? "Add to an Evaluation" : id ? "Edit Question" : "Add Question"}
      description={
        sets?.length === 0 ? (
          <>
            There is no evaluation that you can change.{" "}
            <Link to="/evaluations?dialog=new" className="text-primary-ink underline">
              Create one
            </Link>{" "}
            first.
          </>
        ) : (
          "An answer passes with all the traits that you name; name at least one."
        )
      }
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={isInFields ? null : (errors.expects?.[0] ?? formError)}
      hidden={{ id }}
      intent="save"
      label={id ? "Save Changes" : "Add Question"}
      disabled={sets?.length === 0}
    >
      {sets && (
        <Field label="Evaluation" name="set" error={errors.set} required>
          <Select defaultValue={String(submitted?.set ?? sets[0]?.id ?? "")}>
            <GroupedOptions options={toOptions(sets)} />
          </Select>
        </Field>
      )}
      <FormField
        name="question"
        spec={QUESTION}
        value={submitted ? submitted.question : question}
        error={errors.question}
      />
      <FormFields fields={TRAITS} values={expects} result={result} prefix="expects" columns />
    </FormDialog>
  );
}

const LIMIT = "Spending limit, in US dollars";

interface RunDialogProps extends DialogProps {
  models: readonly OfferedModel[];
  defaultModel: string;
  personas: readonly Named[];
  prompts: readonly Named[];
  questions: number;
  needsJudge: boolean;
  isShared: boolean;
  /** Names of the models of unknown price. */
  unpriced: readonly string[];
}

const MAX_NAMED = 3;

function limitHint(unpriced: readonly string[]): string {
  const hint = "The run ends once it has cost so much; leave it blank for none";
  if (unpriced.length === 0) return hint;
  const others = unpriced.length - MAX_NAMED;
  const names = [...unpriced.slice(0, MAX_NAMED), ...(others > 0 ? [countOf(others, "other")] : [])];
  return `${hint}. No limit holds for a model without a price: ${new Intl.ListFormat("en-US").format(names)}`;
}

/** Of a run by the form; the API takes more. */
const FORM_SUBJECTS = 4;

/** What answers the questions: models, personas and prompts in up to four combinations. */
export function RunDialog(props: RunDialogProps) {
  const { models, defaultModel, personas, prompts, questions, needsJudge, isShared, closeTo, result } = props;
  const { errors, formError, submitted } = readResult(result);
  const typed = submitted ?? { subjects: [{ model: defaultModel }], judge: defaultModel, limit: "1" };
  const subjects = Array.isArray(typed.subjects) ? (typed.subjects as Record<string, string>[]) : [];
  const isInFields = Object.keys(errors).some((name) => name !== "" && name !== "subjects");
  return (
    <FormDialog
      title="New Run"
      description={`Each subject answers ${questions === 1 ? "the question" : `all ${questions} questions`}, in the background and from your budgets.${isShared ? " Everyone in the organization sees the answers." : ""}`}
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={errors.subjects?.[0] ?? (isInFields ? null : formError)}
      intent="run"
      label="Start Run"
    >
      {Array.from({ length: FORM_SUBJECTS }, (_, at) => `Subject ${at + 1}`).map((title, at) => {
        const field = (name: string, label: string) => {
          const full = `subjects[${at}].${name}`;
          return { label, name: full, error: errors[full] };
        };
        const choice = (name: string, label: string, list: readonly Named[], hint?: string) => (
          <Field {...field(name, label)} hint={hint}>
            <Select defaultValue={subjects[at]?.[name] ?? ""}>
              <option value="">None</option>
              <GroupedOptions options={toOptions(list)} />
            </Select>
          </Field>
        );
        return (
          <fieldset key={title} className="grid items-start gap-x-3 gap-y-2 sm:grid-cols-3">
            <legend className="mb-1 border-line border-t pt-2 font-medium text-sm">
              {at === 0 ? title : `${title} (optional)`}
            </legend>
            <Field {...field("model", "Model")}>
              <ModelPicker models={models} blank="Default" defaultValue={subjects[at]?.model ?? ""} />
            </Field>
            {choice("personaId", "Persona", personas)}
            {choice("promptId", "Prompt", prompts, "With one variable at most")}
          </fieldset>
        );
      })}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {needsJudge && (
          <Field
            label="Judge"
            name="judge"
            hint="Model that judges by the rubrics"
            error={errors.judge}
            required
          >
            <ModelPicker models={models} blank="Choose a model" defaultValue={String(typed.judge ?? "")} />
          </Field>
        )}
        <Field label={LIMIT} name="limit" hint={limitHint(props.unpriced)} error={errors.limit}>
          <Input inputMode="decimal" defaultValue={String(typed.limit ?? "")} />
        </Field>
      </div>
    </FormDialog>
  );
}

/** @param limit the run's, in US dollars */
export function ResumeDialog({ limit, closeTo, result }: DialogProps & { limit: number | undefined }) {
  const { errors, submitted } = readResult(result);
  return (
    <FormDialog
      title="Resume Run"
      description="It asks what it lacks and what ended with an error, from your budgets."
      size="sm"
      closeTo={closeTo}
      result={result}
      intent="resume"
      label="Resume"
    >
      <Field
        label={LIMIT}
        name="limit"
        hint="For all of the run, with what it has cost already; leave it blank for none"
        error={errors.limit}
      >
        <Input inputMode="decimal" defaultValue={submitted ? String(submitted.limit ?? "") : limit} />
      </Field>
    </FormDialog>
  );
}
