import { type ChangeEvent, type ComponentPropsWithRef, useId, useState } from "react";
import type { Control, FieldSpec, Option } from "~/core/field.schema";
import { Checkbox } from "./choice";
import { cx } from "./class-names";
import { type Result, readResult } from "./form-result";
import { formatSpan } from "./format";
import { Field, FieldError, GroupedOptions, Input, Select, Textarea, useFieldProps } from "./input";
import { RadioCard } from "./radio-card";
import { Slider } from "./slider";

interface FormFieldsProps {
  fields: Readonly<Record<string, FieldSpec>>;
  values: Readonly<Record<string, unknown>>;
  result: Result;
  /** Prefix of each name in a form of several groups: `ai` makes `ai.timeout`. */
  prefix?: string;
  columns?: boolean;
}

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
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const nameOf = (key: string) => (prefix ? `${prefix}.${key}` : key);
  // Browsers omit unchecked switches, and conform empty texts.
  const shownOf = (key: string) => (submitted ? typedAt(submitted, nameOf(key)) : values[key]);
  const isUsed = ({ usedWith }: FieldSpec) =>
    !usedWith || usedWith.values.includes(chosen[nameOf(usedWith.field)] ?? String(shownOf(usedWith.field)));
  return (
    <div
      className={columns ? "grid items-start gap-4 sm:grid-cols-2" : "flex flex-col gap-4"}
      onChange={({ target }) => {
        if (target instanceof HTMLSelectElement)
          setChosen((before) => ({ ...before, [target.name]: target.value }));
      }}
    >
      {Object.entries(fields).map(([key, spec]) => {
        const name = nameOf(key);
        const field = (
          <FormField key={name} name={name} spec={spec} value={shownOf(key)} error={errors[name]} />
        );
        if (!spec.usedWith) return field;
        // It is sent all the same, and always shown without script and where it is wrong.
        const isShown = errors[name] !== undefined || isUsed(spec);
        return (
          <div key={name} className={isShown ? "contents" : "contents scripted:hidden"}>
            {field}
          </div>
        );
      })}
    </div>
  );
}

interface FormFieldProps {
  name?: string;
  spec: FieldSpec;
  value: unknown;
  error: string | string[] | undefined;
  /** Makes the control follow `value`; else the browser keeps what is typed. */
  onChange?: (value: string | boolean) => void;
  className?: string;
}

export function FormField(props: FormFieldProps) {
  const { name, spec, value, error, onChange, className } = props;
  const { label, hint, required = false, control } = spec;
  if (control.kind === "switch") return <Switch {...props} />;
  if (control.kind === "checks") return <Checks {...props} options={control.options} />;
  if (control.kind === "cards")
    return (
      <fieldset className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
        <legend className="sr-only">{label}</legend>
        {control.options.map((option) => (
          <RadioCard
            key={option.value}
            name={name ?? ""}
            defaultChecked={option.value === value}
            value={option.value}
            label={option.label}
            hint={option.hint}
          />
        ))}
      </fieldset>
    );
  return (
    <Field {...{ label, name, hint, error, required, className }}>
      <FieldControl control={control} value={toText(value)} onChange={onChange} />
    </Field>
  );
}

/** A list stands one a line. */
const toText = (value: unknown): string =>
  Array.isArray(value) ? value.join("\n") : value == null ? "" : String(value);

const describe = (id: string, { spec, error }: Pick<FormFieldProps, "spec" | "error">) =>
  cx(error && `${id}-error`, spec.hint && `${id}-hint`) || undefined;

function Switch({ name, spec, value, error, onChange, className }: FormFieldProps) {
  const id = useId();
  const isOn = value === true || value === "on";
  return (
    <div className={cx("flex flex-col gap-1.5", className)}>
      <Checkbox
        id={id}
        role="switch"
        name={name}
        {...(onChange
          ? { checked: isOn, onChange: ({ target }) => onChange(target.checked) }
          : { defaultChecked: isOn })}
        label={spec.label}
        hint={spec.hint}
        aria-invalid={error ? true : undefined}
        aria-describedby={describe(id, { spec, error })}
        className="-my-1.5"
      />
      {error && <FieldError id={`${id}-error`}>{[error].flat()[0]}</FieldError>}
    </div>
  );
}

function Checks({ name, spec, options, value, error }: FormFieldProps & { options: readonly Option[] }) {
  const id = useId();
  const checked = [value].flat();
  return (
    <fieldset aria-describedby={describe(id, { spec, error })}>
      <legend className="font-medium text-ink text-sm">{spec.label}</legend>
      <div className="flex flex-wrap gap-x-4">
        {options.map(({ value: option, label }) => (
          <Checkbox
            key={option}
            name={name}
            value={option}
            defaultChecked={checked.includes(option)}
            label={label}
          />
        ))}
      </div>
      {error && <FieldError id={`${id}-error`}>{[error].flat()[0]}</FieldError>}
      <p id={`${id}-hint`} className="text-muted text-xs">
        {spec.hint}
      </p>
    </fieldset>
  );
}

interface FieldControlProps {
  control: Exclude<Control, { kind: "switch" | "cards" | "checks" }>;
  value: string;
  onChange?: ((value: string) => void) | undefined;
}

function FieldControl({ control, value, onChange }: FieldControlProps) {
  const bound = onChange
    ? { value, onChange: ({ target }: ChangeEvent<ValueElement>) => onChange(target.value) }
    : { defaultValue: value };
  switch (control.kind) {
    case "number":
      return <NumberInput {...control} bound={bound} />;
    case "range": {
      const { min, max, step, unit } = control;
      const format = (number: number) => (unit ? `${number} ${unit}` : String(number));
      return <Slider {...{ min, max, step, format }} defaultValue={Number(value)} />;
    }
    case "select":
      return (
        <Select {...bound}>
          <GroupedOptions options={control.options} chosen={value} />
        </Select>
      );
    case "text":
      return control.suggestions ? (
        <Suggestions options={control.suggestions} bound={bound} />
      ) : (
        <Input {...bound} type={control.type} maxLength={control.maxLength} autoComplete="off" />
      );
    case "textarea":
      return <Textarea {...bound} maxLength={control.maxLength} />;
    case "code":
      return <Textarea {...bound} rows={8} spellCheck={false} className="font-mono text-xs" />;
    case "colour":
      return <Colour defaultValue={value} />;
  }
}

type ValueElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

type Bound =
  | { value: string; onChange: (event: ChangeEvent<ValueElement>) => void }
  | { defaultValue: string };

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, seconds: 1000 };

interface NumberInputProps {
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
  bound: Bound;
}

function NumberInput({ min, max, step, unit, bound }: NumberInputProps) {
  const [typed, setTyped] = useState("value" in bound ? bound.value : bound.defaultValue);
  const ms = Number(typed) * (MS_PER_UNIT[unit ?? ""] ?? 0);
  return (
    <span className="flex items-center gap-2">
      <Input
        type="number"
        inputMode={Number.isInteger(step ?? 1) ? "numeric" : "decimal"}
        {...{ min, max }}
        step={step ?? "any"}
        {...bound}
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

function Suggestions({ options, bound }: { options: readonly string[]; bound: Bound }) {
  const id = useId();
  return (
    <>
      <Input {...bound} list={id} autoComplete="off" />
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
