import { useId, useState } from "react";
import { Checkbox } from "~/ui/choice";
import { cx } from "~/ui/class-names";
import { Field, FieldError } from "~/ui/field";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { BuilderField, DraftPart, PartKind, PartType } from "../../builder.schema";
import { changePart } from "../../builder-draft.shared";
import { stepPath } from "../../step-path.shared";
import { useBuilder } from "./builder-context";
import { ConditionField } from "./condition-field";
import { FieldControl } from "./field-control";
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
  field: BuilderField;
  formName: { name?: string };
  problem: string | undefined;
  onChange(value: unknown): void;
}

function PartField({ kind, index, part, type, field, formName, problem, onChange }: PartFieldProps) {
  const id = useId();
  const value = part.config[field.name];
  if (field.control.kind === "switch")
    return (
      <div className="flex flex-col gap-1.5 self-center">
        <Checkbox
          id={id}
          role="switch"
          {...formName}
          checked={value === true || value === "on"}
          onChange={({ target }) => onChange(target.checked)}
          label={field.label}
          hint={field.hint}
          aria-invalid={problem ? true : undefined}
          className="-my-1.5"
        />
        {problem && <FieldError id={`${id}-error`}>{problem}</FieldError>}
      </div>
    );
  if (field.control.kind === "condition")
    return (
      <ConditionField kind={kind} index={index} part={part} field={field} problem={problem}>
        <FieldControl part={part} type={type} field={field} value={textOf(value)} onChange={onChange} />
      </ConditionField>
    );
  return (
    <Field
      label={field.label}
      {...formName}
      hint={field.hint}
      error={problem}
      className={cx(WIDE.has(field.control.kind) && "@xl:col-span-2")}
    >
      <FieldControl part={part} type={type} field={field} value={textOf(value)} onChange={onChange} />
    </Field>
  );
}

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
