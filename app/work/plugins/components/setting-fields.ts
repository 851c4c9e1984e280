import { modelOptions, type OfferedModel } from "~/ai/models/model-options.shared";
import type { Control, FieldSpec, Option } from "~/core/field.schema";
import type { PluginField } from "../manifest.schema";

export interface KeyChoice {
  id: string;
  alias: string;
  kind: string;
  origins: readonly string[];
}

export const keyControl = (keys: readonly KeyChoice[], of: string): Control => ({
  kind: "select",
  options: [
    { value: "", label: "None" },
    ...keys
      .filter(({ kind }) => kind === of)
      .map(({ id, alias, origins }) => ({
        value: id,
        label: origins.length > 0 ? `${alias} (${origins.join(", ")})` : alias,
      })),
  ],
});

const toOption = (value: string): Option => ({ value, label: value || "None" });

/** Fields of a manifest as the form kit draws them. */
export function settingFields(
  fields: readonly PluginField[],
  keys: readonly KeyChoice[],
  models: readonly OfferedModel[],
): Record<string, FieldSpec> {
  const controlOf = ({ control }: PluginField): Control => {
    switch (control.kind) {
      case "select":
        return { kind: "select", options: control.options.map(toOption) };
      case "key":
        return keyControl(keys, control.of);
      case "model":
        return { kind: "select", options: [{ value: "", label: "Default model" }, ...modelOptions(models)] };
      case "url":
      case "time-zone":
        return { kind: "text", maxLength: 1000 };
      default:
        return control;
    }
  };
  return Object.fromEntries(
    fields.map((field) => {
      const { name, label, hint, required } = field;
      return [name, { label, ...(hint && { hint }), required, control: controlOf(field) }];
    }),
  );
}
