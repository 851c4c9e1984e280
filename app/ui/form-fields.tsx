import { type ComponentPropsWithRef, useId, useState } from "react";
import { Checkbox } from "./choice";
import { Field, FieldError, useFieldProps } from "./field";
import { type Result, readResult } from "./form-result";
import { formatSpan } from "./format";
import { Input, Select, Textarea } from "./input";
import { RadioCard } from "./radio-card";
import { Slider } from "./slider";

/** A field's control. */
type Control =
  | { kind: "switch" }
  | { kind: "number" | "range"; min: number; max: number; step: number; unit?: string }
  | {
      kind: "select";
      options: readonly string[];
      labels?: Readonly<Record<string, string>>;
      suggestions?: true;
    }
  | { kind: "cards"; options: readonly { value: string; label: string; hint: string }[] }
  | { kind: "checks"; options: readonly string[]; labels: Readonly<Record<string, string>> }
  | { kind: "text" | "textarea" | "code"; maxLength: number; suggestions?: readonly string[] }
  | { kind: "colour" };

export interface FieldSpec {
  label: string;
  hint?: string;
  control: Control;
}

interface FormFieldsProps {
  fields: Readonly<Record<string, FieldSpec>>;
  values: Readonly<Record<string, unknown>>;
  /** Errors and typed values. */
  result: Result;
  /** Prefix of each name in a form of several groups: `ai` makes `ai.timeout`. */
  prefix?: string;
  /** Two fields beside each other where there is room. */
  columns?: boolean;
}

/** By dotted name. */
function typedAt(submitted: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      submitted,
    );
}

export function FormFields({ fields, values, result, prefix, columns }: FormFieldsProps) {
  const { errors, submitted } = readResult(result);
  return (
    <div className={columns ? "grid items-start gap-4 sm:grid-cols-2" : "flex flex-col gap-4"}>
      {Object.entries(fields).map(([key, spec]) => {
        const name = prefix ? `${prefix}.${key}` : key;
        // Browsers omit unchecked switches, and conform empty texts.
        const typed = submitted ? typedAt(submitted, name) : values[key];
        return <FormField key={name} name={name} spec={spec} value={typed} error={errors[name]} />;
      })}
    </div>
  );
}

interface FormFieldProps {
  name: string;
  spec: FieldSpec;
  value: unknown;
  error: string[] | undefined;
}

function FormField({ name, spec, value, error }: FormFieldProps) {
  const { label, hint, control } = spec;
  if (control.kind === "switch") return <Switch name={name} spec={spec} value={value} error={error} />;
  if (control.kind === "checks")
    return <Checks {...control} label={label} hint={hint} name={name} value={value} error={error} />;
  if (control.kind === "cards") return <Cards {...control} label={label} name={name} value={value} />;
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      <FieldControl control={control} value={value == null ? "" : String(value)} />
    </Field>
  );
}

function Switch({ name, spec: { label, hint }, value, error }: FormFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <Checkbox
        id={id}
        role="switch"
        name={name}
        defaultChecked={value === true || value === "on"}
        label={label}
        hint={hint}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error ${id}-hint` : `${id}-hint`}
        className="-my-1.5"
      />
      {error && <FieldError id={`${id}-error`}>{error[0]}</FieldError>}
    </div>
  );
}

interface ChecksProps {
  label: string;
  hint: string | undefined;
  name: string;
  options: readonly string[];
  labels: Readonly<Record<string, string>>;
  value: unknown;
  error: string[] | undefined;
}

function Checks({ label, hint, name, options, labels, value, error }: ChecksProps) {
  const id = useId();
  const checked = [value].flat();
  return (
    <fieldset aria-describedby={error ? `${id}-error ${id}-hint` : `${id}-hint`}>
      <legend className="font-medium text-ink text-sm">{label}</legend>
      <div className="flex flex-wrap gap-x-4">
        {options.map((option) => (
          <Checkbox
            key={option}
            name={name}
            value={option}
            defaultChecked={checked.includes(option)}
            label={labels[option] ?? option}
          />
        ))}
      </div>
      {error && <FieldError id={`${id}-error`}>{error[0]}</FieldError>}
      <p id={`${id}-hint`} className="text-muted text-xs">
        {hint}
      </p>
    </fieldset>
  );
}

interface CardsProps {
  label: string;
  name: string;
  options: readonly { value: string; label: string; hint: string }[];
  value: unknown;
}

function Cards({ label, name, options, value }: CardsProps) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <RadioCard key={option.value} name={name} defaultChecked={option.value === value} {...option} />
      ))}
    </fieldset>
  );
}

interface FieldControlProps {
  control: Exclude<Control, { kind: "switch" | "cards" | "checks" }>;
  value: string;
}

function FieldControl({ control, value }: FieldControlProps) {
  switch (control.kind) {
    case "number":
      return <NumberInput {...control} defaultValue={value} />;
    case "range": {
      const { min, max, step, unit } = control;
      const format = (number: number) => (unit ? `${number} ${unit}` : String(number));
      return <Slider min={min} max={max} step={step} defaultValue={Number(value)} format={format} />;
    }
    case "select":
      return control.suggestions ? (
        <Suggestions options={control.options} defaultValue={value} />
      ) : (
        <Select defaultValue={value}>
          {control.options.map((option) => (
            <option key={option} value={option}>
              {control.labels?.[option] ?? capitalise(option)}
            </option>
          ))}
        </Select>
      );
    case "text":
      return control.suggestions ? (
        <Suggestions options={control.suggestions} defaultValue={value} />
      ) : (
        <Input defaultValue={value} maxLength={control.maxLength} autoComplete="off" />
      );
    case "textarea":
      return <Textarea defaultValue={value} maxLength={control.maxLength} />;
    case "code":
      return <Textarea defaultValue={value} rows={8} spellCheck={false} className="font-mono text-xs" />;
    case "colour":
      return <Colour defaultValue={value} />;
  }
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface NumberInputProps {
  min: number;
  max: number;
  step: number;
  unit?: string;
  defaultValue: string;
}

/** Units of durations, in ms. */
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, seconds: 1000 };

function NumberInput({ min, max, step, unit, defaultValue }: NumberInputProps) {
  const [typed, setTyped] = useState(defaultValue);
  const ms = Number(typed) * (MS_PER_UNIT[unit ?? ""] ?? 0);
  return (
    <span className="flex items-center gap-2">
      <Input
        type="number"
        inputMode={Number.isInteger(step) ? "numeric" : "decimal"}
        {...{ min, max, step, defaultValue }}
        onInput={(event) => setTyped(event.currentTarget.value)}
        className="max-w-40 tabular-nums"
      />
      {unit && (
        <span className="text-muted text-xs">
          {unit}
          {ms > 0 && ` (${formatSpan(ms)})`}
        </span>
      )}
    </span>
  );
}

function Suggestions({ options, defaultValue }: { options: readonly string[]; defaultValue: string }) {
  const id = useId();
  return (
    <>
      <Input defaultValue={defaultValue} list={id} autoComplete="off" />
      <datalist id={id}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </>
  );
}

function Colour({ defaultValue }: { defaultValue: string }) {
  const [value, setValue] = useState(defaultValue);
  const props: ComponentPropsWithRef<"input"> = useFieldProps({});
  return (
    <span className="flex items-center gap-3">
      <input
        type="color"
        value={value}
        {...props}
        onChange={(event) => setValue(event.target.value)}
        className="h-9 w-14 cursor-pointer rounded-md border border-edge bg-surface p-1 pointer-coarse:h-11"
      />
      <span aria-hidden="true" className="scripted:inline hidden font-mono text-muted text-xs">
        {value}
      </span>
    </span>
  );
}
