import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FAILURES } from "~/ui/failures";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import type { PluginField } from "../manifest.schema";
import { type KeyChoice, SettingField } from "./setting-field";

const text = (maxLength: number) => ({ kind: "text" as const, maxLength, default: "" });

const NAME: PluginField = {
  name: "title",
  label: "Name",
  hint: "Enter a name for your team",
  required: true,
  control: text(60),
};
const ADDRESS: PluginField = {
  name: "url",
  label: "Address",
  hint: "Enter the streamable HTTP endpoint, such as https://mcp.example.com/mcp",
  required: false,
  control: text(1000),
};
const KEYS: PluginField[] = [
  {
    name: "keyId",
    label: "Key",
    hint: "Leave blank for an open server. Choose a key reference of kind Other, bound to this address.",
    required: false,
    control: { kind: "key", of: "other" },
  },
  {
    name: "header",
    label: "Key header",
    hint: "Leave blank to send the key as a bearer token",
    required: false,
    control: text(60),
  },
];

function fieldsFor(commands: readonly string[]): PluginField[] {
  if (commands.length === 0) return [NAME, { ...ADDRESS, required: true }, ...KEYS];
  const command: PluginField = {
    name: "command",
    label: "Local command",
    hint: "Leave blank for an address. A command runs on this machine without the egress guard.",
    required: false,
    control: { kind: "select", options: ["", ...commands], default: "" },
  };
  return [NAME, ADDRESS, command, ...KEYS];
}

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
  const { formError, errors, submitted } = readResult(result);
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
        {fieldsFor(commands).map((field) => (
          <SettingField
            key={field.name}
            field={field}
            value={submitted ? submitted[field.name] : start?.[field.name as keyof typeof start]}
            error={errors[field.name]}
            keys={keys}
          />
        ))}
        <FormActions closeTo={closeTo} intent="add-server" label="Add Server" />
      </Form>
    </Dialog>
  );
}
