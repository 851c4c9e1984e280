import { useState } from "react";
import type { Control } from "~/core/field.schema";
import { FormField } from "~/ui/form-fields";
import { Field, FieldError, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { DraftPart, PartKind, PartType } from "../../builder.schema";
import { changePart, findPartType, partTitle } from "../../builder-draft.shared";
import { stepPath } from "../../step-path.shared";
import type { StepField } from "../../steps/step-type";
import { useBuilder } from "./builder-context";
import { namesFor } from "./completion";
import { ConditionField } from "./condition-field";
import { ExpressionInput } from "./expression-input";
import { problemOf } from "./problems";
import { StepOptions } from "./step-options";

const WIDE = new Set<string>(["textarea", "code", "expression", "condition"]);

interface PartFieldsProps {
  kind: PartKind;
  index: number;
  part: DraftPart;
  type: PartType | undefined;
}

const textOf = (value: unknown) =>
  value === undefined || value === null
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

export function PartFields({ kind, index, part, type }: PartFieldsProps) {
  const { change, problems, sendsFields } = useBuilder();
  const nameOf = (field: string) => (sendsFields ? { name: `${kind}[${index}].${field}` } : {});
  const set = (field: string, value: unknown) =>
    change(
      (draft) =>
        changePart(draft, kind, index, { config: { ...draft[kind][index]?.config, [field]: value } }),
      `${kind}.${part.id}.${field}`,
    );
  return (
    <div className="@container flex flex-col gap-4">
      {type?.unavailable && <Notice kind="warning">{type.unavailable}</Notice>}
      {problems[`${kind}.${index}.type`] && <FieldError>{problems[`${kind}.${index}.type`]?.[0]}</FieldError>}
      <div className="grid gap-4 empty:hidden @xl:grid-cols-2">
        {type?.fields.map((field) => (
          <PartField
            key={field.name}
            kind={kind}
            index={index}
            part={part}
            type={type}
            field={field}
            formName={nameOf(`config.${field.name}`)}
            problem={problemOf(problems, `${kind}.${index}.config.${field.name}`, field.label)}
            onChange={(value) => set(field.name, value)}
          />
        ))}
      </div>
      <div className="grid gap-4 @xl:grid-cols-2">
        {kind === "steps" && (
          <Field
            label="Step name"
            {...nameOf("name")}
            hint="Leave blank to use the type's name."
            error={problems[`steps.${index}.name`]?.[0]}
          >
            <Input
              value={part.name ?? ""}
              maxLength={80}
              autoComplete="off"
              onChange={({ target }) =>
                change(
                  (draft) => changePart(draft, kind, index, { name: target.value }),
                  `${kind}.${part.id}.name`,
                )
              }
            />
          </Field>
        )}
        <IdField key={part.id} kind={kind} index={index} part={part} formName={nameOf("id")} />
      </div>
      {kind === "steps" && <StepOptions index={index} part={part} nameOf={nameOf} />}
    </div>
  );
}

interface PartFieldProps {
  kind: PartKind;
  index: number;
  part: DraftPart;
  type: PartType | undefined;
  field: StepField;
  formName: { name?: string };
  problem: string | undefined;
  onChange(value: unknown): void;
}

function PartField({ kind, index, part, type, field, formName, problem, onChange }: PartFieldProps) {
  const { draft, types, choices, names } = useBuilder();
  const value = part.config[field.name];
  const text = textOf(value);
  const control = drawnControl(field, text, part, { draft, types, choices });
  const className = WIDE.has(field.control.kind) ? "@xl:col-span-2" : "";
  if (control?.kind === "switch")
    return (
      <FormField
        {...formName}
        spec={{ ...field, control }}
        value={value}
        error={problem}
        onChange={onChange}
        className="self-center"
      />
    );
  if (control) {
    // A browser would show the first option if none were selected, and submit it without script.
    const isBlank =
      text === "" && control.kind === "select" && !control.options.some((one) => one.value === "");
    return (
      <FormField
        {...formName}
        spec={{ ...field, control }}
        value={isBlank ? (type?.defaults[field.name] ?? "") : text}
        error={problem}
        onChange={onChange}
        className={className}
      />
    );
  }
  const rows = ROWS[field.control.kind];
  const editor = (
    <ExpressionInput
      value={text}
      onChange={onChange}
      isExpression={field.language === "expression"}
      names={namesFor(draft, part.id, names, types)}
      mono={field.control.kind !== "text" && field.control.kind !== "textarea"}
      {...(rows ? { rows } : {})}
    />
  );
  return field.control.kind === "condition" ? (
    <ConditionField kind={kind} index={index} part={part} field={field} problem={problem}>
      {editor}
    </ConditionField>
  ) : (
    <Field label={field.label} {...formName} hint={field.hint} error={problem} className={className}>
      {editor}
    </Field>
  );
}

const ROWS: Partial<Record<StepField["control"]["kind"], number>> = { textarea: 4, code: 6 };

/** Labels of empty options. */
const BLANKS: Partial<Record<StepField["control"]["kind"], string>> = {
  model: "Workflow's model",
  tool: "Choose a tool",
  workflow: "Choose a workflow",
  database: "Workspace database",
};

/** The form kit's control; undefined for a text that may hold expressions. */
function drawnControl(
  { control, language = "text" }: StepField,
  value: string,
  part: DraftPart,
  { draft, types, choices }: Pick<ReturnType<typeof useBuilder>, "draft" | "types" | "choices">,
): Control | undefined {
  switch (control.kind) {
    case "expression":
    case "condition":
      return undefined;
    case "text":
    case "textarea":
    case "code":
      return language === "none" ? control : undefined;
    case "number":
      // A number input would reject expressions.
      return language !== "none" && value.includes("{{") ? undefined : control;
    case "next": {
      const later = draft.steps.slice(draft.steps.findIndex(({ id }) => id === part.id) + 1);
      const options = later.map((step) => ({
        value: step.id,
        label: `${partTitle(step, findPartType(types, "steps", step.type))} (${step.id})`,
      }));
      return { kind: "select", options: [...NEXT, ...options] };
    }
    case "model":
    case "tool":
    case "workflow":
    case "database":
    case "category":
    case "key":
    case "persona": {
      const blank = { value: "", label: BLANKS[control.kind] ?? "None" };
      return { kind: "select", options: [blank, ...choices[control.kind]] };
    }
    default:
      return control;
  }
}

const NEXT = [
  { value: "continue", label: "Continue" },
  { value: "stop", label: "Stop" },
];

/** Committed on blur, since it renames references. */
function IdField({
  kind,
  index,
  part,
  formName,
}: Omit<PartFieldsProps, "type"> & { formName: { name?: string } }) {
  const { draft, change, problems } = useBuilder();
  const [typed, setTyped] = useState(part.id);
  const [taken, setTaken] = useState<string>();
  const commit = () => {
    const isTaken = [...draft.triggers, ...draft.steps].some((one) => one !== part && one.id === typed);
    setTaken(isTaken ? `The ID "${typed}" is already used. Enter another one` : undefined);
    if (!isTaken && typed !== part.id && typed !== "")
      change((before) => changePart(before, kind, index, { id: typed }));
  };
  return (
    <Field
      label="ID"
      {...formName}
      hint={
        kind === "steps" ? `Use it in expressions: ${stepPath(part.id)}` : "Identify the trigger in runs."
      }
      error={taken ?? problems[`${kind}.${index}.id`]?.[0]}
    >
      <Input
        value={typed}
        maxLength={40}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-xs"
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
      />
    </Field>
  );
}
