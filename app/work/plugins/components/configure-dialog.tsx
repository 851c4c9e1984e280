import { Form, Link } from "@remix-run/react";
import { useRef } from "react";
import type { OfferedModel } from "~/ai/models/model-options.shared";
import { LinkButton } from "~/ui/button";
import { Dialog, DialogActions, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import type { PluginField } from "../manifest.schema";
import type { Plugin } from "../plugins.schema";
import { type KeyChoice, settingFields } from "./setting-fields";

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

export function ConfigureDialog(props: ConfigureDialogProps) {
  const { plugin, fields, values, keys, models, closeTo, result } = props;
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { formError } = readResult(result);
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
  const kinds = new Set(fields.flatMap(({ control }) => (control.kind === "key" ? [KINDS[control.of]] : [])));
  return (
    <Dialog title={`Configure ${plugin.title}`} closeTo={closeTo}>
      <Form method="post" preventScrollReset ref={form} className="flex flex-col gap-4">
        {formError && (
          <Notice kind="danger" title={FAILURES.updatePlugin.title}>
            {formError}
          </Notice>
        )}
        <input type="hidden" name="id" value={plugin.id} />
        <FormFields fields={settingFields(fields, keys, models)} values={values} result={result} />
        {kinds.size > 0 && (
          <p className="text-muted text-xs">
            Keys are references of kind {[...kinds].join(" or ")}, added under{" "}
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
