import { Braces, Rows3 } from "lucide-react";
import type { MouseEvent } from "react";
import { Button } from "~/ui/button";
import { Field, GroupedOptions, Input, Select } from "~/ui/input";
import { changePart } from "../../builder-draft.shared";
import type { StepField } from "../../steps/step-type";
import {
  inputOf,
  isRecord,
  type ToolField,
  type ToolTexts,
  textsOf,
  writtenInput,
} from "../../tool-input.shared";
import { type PartProps, useBuilder, useFieldName } from "./builder-context";
import { namesFor } from "./completion";
import { ExpressionInput } from "./expression-input";
import { InsertRow } from "./insert-button";

interface ToolInputProps extends PartProps {
  field: StepField;
  problem: string | undefined;
}

/** A form of the chosen tool's parameters; its JSON, or an expression for all of it, is under Raw JSON. */
export function ToolInput(props: ToolInputProps) {
  const { kind, index, part, field, problem } = props;
  const { draft, change, types, names, facts } = useBuilder();
  const nameOf = useFieldName({ kind, index });
  const { tool, input } = part.config;
  const fields = facts.tools[String(tool ?? "").trim()];
  const set = (value: unknown) =>
    change(
      (before) =>
        changePart(before, kind, index, { config: { ...before[kind][index]?.config, [field.name]: value } }),
      `${kind}.${part.id}.${field.name}`,
    );
  const written = typeof input === "string" ? writtenInput(input || "{}") : undefined;
  // A new step has an empty input, which is a form.
  const isEmpty = written !== undefined && Object.keys(written).length === 0;
  const texts = isRecord(input) ? (input as ToolTexts) : isEmpty ? {} : undefined;
  const button = (verb: string, value: unknown) => ({
    name: "op",
    value: `${verb}.${kind}.${index}`,
    formAction: `#${kind}-${index + 1}`,
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      set(value);
    },
  });
  if (!fields || !texts) {
    const formTexts = fields && textsOf(fields, written);
    const text = isRecord(input) ? JSON.stringify(input) : String(input ?? "");
    if (!tool) return <p className="text-muted @xl:col-span-2">Choose a tool to see its parameters.</p>;
    return (
      <div data-tool-input="" className="flex flex-col items-start gap-2 @xl:col-span-2">
        <Field
          label={field.label}
          {...nameOf(`config.${field.name}`)}
          hint={field.hint}
          error={problem}
          className="w-full"
        >
          <ExpressionInput
            value={text}
            onChange={set}
            isExpression={!written}
            names={namesFor(draft, part.id, names, types)}
            label={field.label}
            partId={part.id}
            rows={6}
            mono
          />
        </Field>
        {formTexts && (
          <Button size="sm" icon={<Rows3 aria-hidden="true" />} {...button("asform", formTexts)}>
            Edit as Form
          </Button>
        )}
      </div>
    );
  }
  const json = JSON.stringify(inputOf(fields, texts), null, 2);
  return (
    <fieldset data-tool-input="" className="flex min-w-0 flex-col gap-4 @xl:col-span-2">
      <legend className="sr-only">{field.label}</legend>
      {fields.length === 0 && <p className="text-muted">This tool has no parameters.</p>}
      {fields.map((one, at) => (
        <div key={one.name}>
          {nameOf("input").name && <input type="hidden" {...nameOf(`input.name${at}`)} value={one.name} />}
          <ToolParameter
            {...props}
            parameter={one}
            name={nameOf(`input.value${at}`)}
            value={texts[one.name] ?? ""}
            onChange={(value) => set({ ...texts, [one.name]: value })}
          />
        </div>
      ))}
      {problem && <p className="text-danger-ink text-xs">{problem}</p>}
      <details>
        <summary className="disclosure min-h-6 cursor-pointer text-muted text-sm pointer-coarse:min-h-11">
          Raw JSON
        </summary>
        <pre className="mt-2 overflow-x-auto whitespace-pre-wrap rounded-md bg-sunken p-2 text-xs [overflow-wrap:anywhere]">
          {json}
        </pre>
        <Button size="sm" className="mt-2" icon={<Braces aria-hidden="true" />} {...button("asjson", json)}>
          Edit as JSON
        </Button>
      </details>
    </fieldset>
  );
}

interface ToolParameterProps extends PartProps {
  parameter: ToolField;
  name: { name?: string };
  value: string;
  onChange(value: string): void;
}

const ROWS: Partial<Record<ToolField["kind"], number>> = { long: 4, lines: 3, json: 4 };

/** Choices and numbers turn into a text once they have an expression. */
function ToolParameter({ part, parameter, name, value, onChange }: ToolParameterProps) {
  const { draft, types, names } = useBuilder();
  const { label, hint, required, kind, options } = parameter;
  const field = { label, required, ...name, ...(hint ? { hint } : {}) };
  const rows = ROWS[kind];
  if (value.includes("{{") || (kind !== "choice" && kind !== "number"))
    return (
      <Field {...field}>
        <ExpressionInput
          value={value}
          onChange={onChange}
          isExpression={false}
          names={namesFor(draft, part.id, names, types)}
          label={label}
          partId={part.id}
          mono={kind === "json"}
          {...(rows ? { rows } : {})}
        />
      </Field>
    );
  return (
    <InsertRow label={label} partId={part.id} onChange={onChange}>
      <Field {...field}>
        {kind === "choice" ? (
          <Select value={value} onChange={({ target }) => onChange(target.value)}>
            <GroupedOptions options={[{ value: "", label: "Not set" }, ...(options ?? [])]} chosen={value} />
          </Select>
        ) : (
          <Input
            type="number"
            step="any"
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className="max-w-40 tabular-nums"
          />
        )}
      </Field>
    </InsertRow>
  );
}
