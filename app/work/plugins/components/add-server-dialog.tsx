import { Form } from "@remix-run/react";
import { useRef } from "react";
import type { FieldSpec } from "~/core/field.schema";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { type KeyChoice, keyControl } from "./setting-fields";

const text = (maxLength: number) => ({ kind: "text" as const, maxLength });

const fieldsFor = (keys: readonly KeyChoice[], commands: readonly string[]): Record<string, FieldSpec> => ({
  title: { label: "Name", hint: "Enter a name for your team", required: true, control: text(60) },
  url: {
    label: "Address",
    hint: "Enter the streamable HTTP endpoint, such as https://mcp.example.com/mcp",
    required: commands.length === 0,
    control: text(1000),
  },
  ...(commands.length > 0 && {
    command: {
      label: "Local command",
      hint: "Leave blank for an address. A command runs on this machine without the egress guard.",
      control: {
        kind: "select",
        options: ["", ...commands].map((value) => ({ value, label: value || "None" })),
      },
    },
  }),
  keyId: {
    label: "Key",
    hint: "Leave blank for an open server. Choose a key reference of kind Other, bound to this address.",
    control: keyControl(keys, "other"),
  },
  header: {
    label: "Key header",
    hint: "Leave blank to send the key as a bearer token",
    control: text(60),
  },
});

interface AddServerDialogProps {
  keys: KeyChoice[];
  commands: string[];
  start?: { title: string; url: string } | undefined;
  closeTo: string;
  result: Result;
}

export function AddServerDialog({ keys, commands, start, closeTo, result }: AddServerDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { formError } = readResult(result);
  return (
    <Dialog
      title="Add MCP Server"
      description="Connect a server to list its tools. None can run until you allow it."
      closeTo={closeTo}
    >
      <Form method="post" preventScrollReset ref={form} className="flex flex-col gap-4">
        {formError && (
          <Notice kind="danger" title={FAILURES.installPlugin.title}>
            {formError}
          </Notice>
        )}
        <FormFields fields={fieldsFor(keys, commands)} values={{ ...start }} result={result} />
        <FormActions closeTo={closeTo} intent="add-server" label="Add Server" />
      </Form>
    </Dialog>
  );
}
