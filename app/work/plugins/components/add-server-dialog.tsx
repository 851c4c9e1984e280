import type { FieldSpec } from "~/core/field.schema";
import { FAILURES } from "~/ui/failures";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import type { Result } from "~/ui/form-result";
import { type KeyChoice, keyControl } from "./key-control";

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
  clientId: {
    label: "OAuth client ID",
    hint: "Only for a server that takes clients registered by hand",
    control: text(500),
  },
  clientKeyId: {
    label: "OAuth client secret",
    hint: "Choose a key reference of kind Other, bound to the address of the server's sign-in",
    control: keyControl(keys, "other"),
  },
});

interface AddServerDialogProps {
  keys: KeyChoice[];
  commands: string[];
  start?: { title: string; url: string } | undefined;
  closeTo: string;
  result: Result;
}

export function AddServerDialog({ keys, commands, start, ...dialog }: AddServerDialogProps) {
  return (
    <FormDialog
      {...dialog}
      title="Add MCP Server"
      description="Connect a server to list its tools. None can run until you allow it."
      failure={FAILURES.installPlugin.title}
      intent="add-server"
      label="Add Server"
    >
      <FormFields fields={fieldsFor(keys, commands)} values={{ ...start }} result={dialog.result} />
    </FormDialog>
  );
}
