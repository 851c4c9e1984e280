import { Form, Link } from "@remix-run/react";
import { useRef } from "react";
import { LinkButton } from "~/ui/button";
import { Dialog, DialogActions, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type FieldSpec, FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import type { PluginField } from "../manifest.schema";
import type { Plugin } from "../plugins.schema";

export interface KeyChoice {
  id: string;
  alias: string;
  origins: readonly string[];
}

/** Key references as options of a select, with the address that each may be sent to. */
export function keyOptions(keys: readonly KeyChoice[]): {
  options: string[];
  labels: Record<string, string>;
} {
  const labels = Object.fromEntries(
    keys.map(({ id, alias, origins }) => [id, `${alias} (${origins.join(", ")})`]),
  );
  return { options: ["", ...keys.map(({ id }) => id)], labels: { "": "None", ...labels } };
}

function toSpec({ label, hint, control, required }: PluginField, keys: readonly KeyChoice[]): FieldSpec {
  const spec = { label: required ? `${label} (required)` : label, hint };
  switch (control.kind) {
    case "key":
      return { ...spec, control: { kind: "select", ...keyOptions(keys) } };
    case "url":
      return { ...spec, control: { kind: "text", maxLength: 1000 } };
    case "number": {
      const { kind, min, max, step, unit } = control;
      return { ...spec, control: { kind, min, max, step, ...(unit && { unit }) } };
    }
    case "select": {
      const { kind, options } = control;
      return { ...spec, control: { kind, options } };
    }
    case "switch":
      return { ...spec, control: { kind: "switch" } };
    default:
      return { ...spec, control: { kind: control.kind, maxLength: control.maxLength } };
  }
}

interface ConfigureDialogProps {
  plugin: Plugin;
  fields: PluginField[];
  values: Record<string, unknown>;
  keys: KeyChoice[];
  closeTo: string;
  result: Result;
}

/** The form of a plugin's settings, made of its manifest. */
export function ConfigureDialog({ plugin, fields, values, keys, closeTo, result }: ConfigureDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { problem } = readResult(result);
  if (fields.length === 0)
    return (
      <Dialog title={`Configure ${plugin.title}`} closeTo={closeTo} size="sm">
        <p className="text-muted">
          This plugin has no settings. Choose when its tools run in Settings › Advanced.
        </p>
        <DialogActions>
          <LinkButton to={closeTo} preventScrollReset>
            Close
          </LinkButton>
        </DialogActions>
      </Dialog>
    );
  const usesKeys = fields.some(({ control }) => control.kind === "key");
  return (
    <Dialog title={`Configure ${plugin.title}`} closeTo={closeTo}>
      <Form method="post" preventScrollReset ref={form} className="flex flex-col gap-4">
        {problem && (
          <Notice kind="danger" title="Update Failed">
            {problem}
          </Notice>
        )}
        <input type="hidden" name="id" value={plugin.id} />
        <FormFields
          fields={Object.fromEntries(fields.map((field) => [field.name, toSpec(field, keys)]))}
          values={values}
          result={result}
        />
        {usesKeys && (
          <p className="text-muted text-xs">
            Keys are references of kind Other, added under{" "}
            <Link to="/settings/keys" className="underline underline-offset-2 hover:text-ink">
              Settings › API Keys
            </Link>
            . A key is only sent to its own address.
          </p>
        )}
        <FormActions closeTo={closeTo} intent="configure" label="Save Changes" />
      </Form>
    </Dialog>
  );
}
