import { Link } from "@remix-run/react";
import { modelOptions, type OfferedModel } from "~/ai/models/model-picker.shared";
import type { Control, FieldSpec, Option } from "~/core/field.schema";
import { MessageDialog } from "~/ui/confirm-dialog";
import { FAILURES } from "~/ui/failures";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import type { Result } from "~/ui/form-result";
import type { PluginField } from "../manifest.schema";
import type { Plugin } from "../plugins.schema";
import { type KeyChoice, keyControl } from "./key-control";

interface ConfigureDialogProps {
  plugin: Plugin;
  fields: PluginField[];
  values: Record<string, unknown>;
  keys: KeyChoice[];
  models: OfferedModel[];
  closeTo: string;
  result: Result;
}

const KINDS = { other: "Other", database: "Database" };

export function ConfigureDialog({ plugin, fields, values, keys, models, ...dialog }: ConfigureDialogProps) {
  if (fields.length === 0)
    return (
      <MessageDialog
        title={`Configure ${plugin.title}`}
        description="This plugin has no settings. Choose when its tools run in Settings › Advanced."
        closeTo={dialog.closeTo}
      />
    );
  const kinds = new Set(fields.flatMap(({ control }) => (control.kind === "key" ? [KINDS[control.of]] : [])));
  return (
    <FormDialog
      {...dialog}
      title={`Configure ${plugin.title}`}
      failure={FAILURES.updatePlugin.title}
      hidden={{ id: plugin.id }}
      intent="configure"
      label="Save Changes"
    >
      <FormFields fields={settingFields(fields, keys, models)} values={values} result={dialog.result} />
      {kinds.size > 0 && (
        <p className="text-muted text-xs">
          Keys are references of kind {[...kinds].join(" or ")}, added under{" "}
          <Link to="/settings/keys" className="underline underline-offset-2 hover:text-ink">
            Settings › API Keys
          </Link>
          . A key is only sent to its own address.
        </p>
      )}
    </FormDialog>
  );
}

const toOption = (value: string): Option => ({ value, label: value || "None" });

/** Fields of a manifest as the form kit draws them. */
function settingFields(
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
      const { name, label, hint, required, usedWith } = field;
      const spec: FieldSpec = { label, hint, required, control: controlOf(field) };
      return [
        name,
        usedWith ? { ...spec, usedWith: { field: usedWith.setting, values: usedWith.values } } : spec,
      ];
    }),
  );
}
