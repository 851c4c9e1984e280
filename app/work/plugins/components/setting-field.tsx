import { modelOptions, type OfferedModel } from "~/ai/models/model-options.shared";
import { Checkbox } from "~/ui/choice";
import { Field } from "~/ui/field";
import { GroupedOptions } from "~/ui/grouped-options";
import { Input, Select, Textarea } from "~/ui/input";
import type { PluginField } from "../manifest.schema";

export interface KeyChoice {
  id: string;
  alias: string;
  kind: string;
  origins: readonly string[];
}

interface SettingFieldProps {
  field: PluginField;
  value: unknown;
  error: string[] | undefined;
  keys: readonly KeyChoice[];
  models?: readonly OfferedModel[];
}

/** Lighter than the form kit. */
export function SettingField({ field, value, error, keys, models = [] }: SettingFieldProps) {
  const { name, label, hint, required, control } = field;
  if (control.kind === "switch") {
    const isOn = value === true || value === "on";
    return <Checkbox role="switch" name={name} defaultChecked={isOn} label={label} hint={hint} />;
  }
  const unit = control.kind === "number" && control.unit ? ` (${control.unit})` : "";
  return (
    <Field label={label + unit} name={name} hint={hint || undefined} error={error} required={required}>
      <SettingControl control={control} value={value == null ? "" : String(value)} {...{ keys, models }} />
    </Field>
  );
}

interface SettingControlProps {
  control: Exclude<PluginField["control"], { kind: "switch" }>;
  value: string;
  keys: readonly KeyChoice[];
  models: readonly OfferedModel[];
}

function SettingControl({ control, value, keys, models }: SettingControlProps) {
  switch (control.kind) {
    case "number": {
      const { min, max, step } = control;
      return <Input type="number" inputMode="decimal" {...{ min, max, step }} defaultValue={value} />;
    }
    case "select":
      return (
        <Select defaultValue={value}>
          {control.options.map((option) => (
            <option key={option} value={option}>
              {option || "None"}
            </option>
          ))}
        </Select>
      );
    case "key":
      return (
        <Select defaultValue={value}>
          <option value="">None</option>
          {keys
            .filter(({ kind }) => kind === control.of)
            .map(({ id, alias, origins }) => (
              <option key={id} value={id}>
                {origins.length > 0 ? `${alias} (${origins.join(", ")})` : alias}
              </option>
            ))}
        </Select>
      );
    case "model":
      return (
        <Select defaultValue={value}>
          <option value="">Default model</option>
          <GroupedOptions options={modelOptions(models)} chosen={value} />
        </Select>
      );
    case "textarea":
      return <Textarea defaultValue={value} maxLength={control.maxLength} />;
    default: {
      const maxLength = control.kind === "text" ? control.maxLength : 1000;
      return <Input defaultValue={value} maxLength={maxLength} autoComplete="off" />;
    }
  }
}
