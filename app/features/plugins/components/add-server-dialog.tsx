import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { type KeyChoice, keyOptions } from "./configure-dialog";

interface AddServerDialogProps {
  keys: KeyChoice[];
  /** Names of the local commands that the operator allows. */
  commands: string[];
  closeTo: string;
  result: Result;
}

/** Connects an MCP server by its address. */
export function AddServerDialog({ keys, commands, closeTo, result }: AddServerDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { problem } = readResult(result);
  return (
    <Dialog
      title="Add MCP Server"
      description="The server is asked for its tools. None runs until you allow it."
      closeTo={closeTo}
    >
      <Form method="post" preventScrollReset ref={form} className="flex flex-col gap-4">
        {problem && (
          <Notice kind="danger" title="Installation Failed">
            {problem}
          </Notice>
        )}
        <FormFields
          fields={{
            title: {
              label: "Name",
              hint: "Enter a name for your team",
              control: { kind: "text", maxLength: 60 },
            },
            url: {
              label: "Address",
              hint: "Enter the streamable HTTP endpoint, such as https://mcp.example.com/mcp",
              control: { kind: "text", maxLength: 1000 },
            },
            ...(commands.length > 0 && {
              command: {
                label: "Local command",
                hint: "Leave blank for an address. A command is a process on this machine that the egress guard can't see.",
                control: { kind: "select", options: ["", ...commands], labels: { "": "None" } },
              } as const,
            }),
            keyId: {
              label: "Key",
              hint: "Leave blank for an open server. Choose a key reference of kind Other, bound to this address.",
              control: { kind: "select", ...keyOptions(keys) },
            },
            header: {
              label: "Key header",
              hint: "Leave blank to send the key as a bearer token",
              control: { kind: "text", maxLength: 60 },
            },
          }}
          values={{}}
          result={result}
        />
        <FormActions closeTo={closeTo} intent="add-server" label="Add Server" />
      </Form>
    </Dialog>
  );
}
