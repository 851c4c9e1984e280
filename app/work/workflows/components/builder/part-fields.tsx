import { useEffect, useState } from "react";
import { EffortField, ModelPicker } from "~/ai/models/model-field.shared";
import { mayReason } from "~/ai/models/model-picker.shared";
import type { Control } from "~/core/field.schema";
import { FormField } from "~/ui/form-fields";
import { Field, FieldError, Input } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { Notice } from "~/ui/notice";
import type { DraftPart, PartType } from "../../builder.schema";
import { changePart, findPartType, partTitle } from "../../builder-draft.shared";
import type { StepField } from "../../steps/step-type";
import { stepPath } from "../../workflows.shared";
import { type PartProps, problemOf, useBuilder, useFieldName } from "./builder-context";
import { namesFor } from "./completion";
import { ExpressionInput } from "./expression-input";
import { InsertRow } from "./insert-button";
import { StepWarnings } from "./step-warnings";

const condition = lazyPart(
  () => import("./condition-field").then((module) => module.ConditionField),
  "[data-condition]",
);
const options = lazyPart(
  () => import("./step-options").then((module) => module.StepOptions),
  "[data-options]",
);
const schedule = lazyPart(
  () => import("./schedule-field").then((module) => module.ScheduleField),
  "[data-schedule]",
);
const toolInput = lazyPart(
  () => import("./tool-input").then((module) => module.ToolInput),
  "[data-tool-input]",
);

const WIDE = new Set<string>(["textarea", "code", "expression", "condition"]);

interface PartFieldsProps extends PartProps {
  type: PartType | undefined;
  /** Called once all fields are drawn; the code of some loads when they are first shown. */
  onReady?: (() => void) | undefined;
}

function useAllLoaded(type: PartType | undefined): boolean {
  const loaded: Partial<Record<StepField["control"]["kind"], boolean>> = {
    condition: condition.useLoaded(),
    schedule: schedule.useLoaded(),
    toolInput: toolInput.useLoaded(),
  };
  return type?.fields.every(({ control }) => loaded[control.kind] ?? true) ?? true;
}

const textOf = (value: unknown) =>
  value === undefined || value === null
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

export function PartFields({ kind, index, part, type, onReady }: PartFieldsProps) {
  const { change, problems } = useBuilder();
  const isReady = useAllLoaded(type);
  useEffect(() => {
    if (isReady) onReady?.();
  }, [isReady, onReady]);
  const nameOf = useFieldName({ kind, index });
  return (
    <div className="@container flex flex-col gap-4">
      {type?.unavailable && <Notice kind="warning">{type.unavailable}</Notice>}
      {kind === "steps" && <StepWarnings id={part.id} />}
      {problems[`${kind}.${index}.type`] && <FieldError>{problems[`${kind}.${index}.type`]?.[0]}</FieldError>}
      <div className="grid gap-4 empty:hidden @xl:grid-cols-2">
        {type?.fields.map((field) => (
          <PartField key={field.name} kind={kind} index={index} part={part} type={type} field={field} />
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
        <IdField key={part.id} kind={kind} index={index} part={part} />
      </div>
      {kind === "steps" && <options.Part kind={kind} index={index} part={part} />}
    </div>
  );
}

function PartField({ kind, index, part, type, field }: PartProps & { type: PartType; field: StepField }) {
  const { draft, change, types, choices, names, problems } = useBuilder();
  const nameOf = useFieldName({ kind, index });
  const path = `config.${field.name}`;
  const formName = nameOf(path);
  const problem = problemOf(problems, `${kind}.${index}.${path}`, field.label);
  const onChange = (value: unknown) =>
    change(
      (before) =>
        changePart(before, kind, index, { config: { ...before[kind][index]?.config, [field.name]: value } }),
      `${kind}.${part.id}.${field.name}`,
    );
  const value = part.config[field.name];
  const text = textOf(value);
  const control = drawnControl(field, text, part, { draft, types, choices });
  const className = WIDE.has(field.control.kind) ? "@xl:col-span-2" : "";
  if (field.control.kind === "model")
    return (
      <Field label={field.label} {...formName} hint={field.hint} error={problem}>
        <ModelPicker
          models={choices.model}
          blank="Workflow's model"
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    );
  if (field.control.kind === "effort") {
    // A persona brings its own model.
    const model = textOf(part.config.model) || (part.config.persona ? "" : draft.model);
    return (
      <EffortField
        {...formName}
        isShown={mayReason(choices.model, model)}
        hint={field.hint}
        error={problem}
        value={text || "default"}
        onChange={onChange}
      />
    );
  }
  if (field.control.kind === "schedule")
    return <schedule.Part kind={kind} index={index} part={part} field={field} problem={problem} />;
  if (field.control.kind === "toolInput")
    return <toolInput.Part kind={kind} index={index} part={part} field={field} problem={problem} />;
  if (control) {
    const isSwitch = control.kind === "switch";
    // A browser would show the first option if none were selected, and submit it without script.
    const isBlank =
      text === "" && control.kind === "select" && !control.options.some((one) => one.value === "");
    const shown = isBlank ? (type.defaults[field.name] ?? "") : text;
    const drawn = (
      <FormField
        {...formName}
        spec={{ ...field, control }}
        value={isSwitch ? value : shown}
        error={problem}
        onChange={onChange}
        className={isSwitch ? "self-center" : className}
      />
    );
    if (field.language === "none") return drawn;
    return (
      <InsertRow label={field.label} partId={part.id} onChange={onChange}>
        {drawn}
      </InsertRow>
    );
  }
  const rows = ROWS[field.control.kind];
  const editor = (
    <ExpressionInput
      value={text}
      onChange={onChange}
      isExpression={field.language === "expression"}
      names={namesFor(draft, part.id, names, types)}
      label={field.label}
      partId={part.id}
      mono={field.control.kind !== "text" && field.control.kind !== "textarea"}
      {...(rows ? { rows } : {})}
    />
  );
  return field.control.kind === "condition" ? (
    <condition.Part kind={kind} index={index} part={part} field={field} problem={problem}>
      {editor}
    </condition.Part>
  ) : (
    <Field label={field.label} {...formName} hint={field.hint} error={problem} className={className}>
      {editor}
    </Field>
  );
}

const ROWS: Partial<Record<StepField["control"]["kind"], number>> = { textarea: 4, code: 6 };

/** Labels of empty options. */
const BLANKS: Partial<Record<StepField["control"]["kind"], string>> = {
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
    case "model":
    case "effort":
    case "schedule":
    case "toolInput":
      return undefined;
    case "timeZone":
      return { kind: "text", maxLength: 60, suggestions: choices.timeZones };
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
    case "tool":
    case "workflow":
    case "database":
    case "category":
    case "key":
    case "persona": {
      const blank = { value: "", label: control.blank ?? BLANKS[control.kind] ?? "None" };
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
function IdField({ kind, index, part }: PartProps) {
  const { draft, change, problems } = useBuilder();
  const nameOf = useFieldName({ kind, index });
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
      {...nameOf("id")}
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
