import type { SubmissionResult } from "@conform-to/react";
import { useNavigation } from "@remix-run/react";
import { Checkbox } from "~/ui/choice";
import { FormDialog } from "~/ui/dialog";
import { editedVersion, serverForm } from "~/ui/form-result";
import { Field, Input, Textarea } from "~/ui/input";
import type { Prompt, PromptForm } from "../prompts.schema";

interface PromptDialogProps {
  prompt?: Prompt | undefined;
  /** Whether the edited prompt was deleted meanwhile. */
  isMissing?: boolean;
  closeTo: string;
  result: SubmissionResult | undefined;
}

export function PromptDialog({ prompt, isMissing, closeTo, result }: PromptDialogProps) {
  const navigation = useNavigation();
  const last = navigation.state === "idle" ? result : undefined;
  const [form, fields] = serverForm<keyof PromptForm>({
    id: prompt ? `prompt-${prompt.id}` : "prompt",
    lastResult: last,
    defaultValue: prompt ? { ...prompt, shared: prompt.shared ? "on" : undefined } : undefined,
  });
  return (
    <FormDialog
      title={prompt || isMissing ? "Edit Prompt" : "New Prompt"}
      description="Save text to insert in chat with /"
      closeTo={closeTo}
      form={form}
      result={last}
      record={prompt?.id}
      isMissing={isMissing}
      updatedAt={editedVersion(fields.updatedAt, prompt?.updatedAt)}
      noun="Prompt"
    >
      <Field label="Name" id={fields.name.id} name="name" error={fields.name.errors} required>
        <Input defaultValue={fields.name.initialValue} placeholder="Reply to a customer" autoComplete="off" />
      </Field>
      <Field
        label="Prompt"
        id={fields.text.id}
        name="text"
        error={fields.text.errors}
        hint="Use {{name}} for a blank to fill in, or {{name=default}} with a default"
        required
      >
        <Textarea
          rows={8}
          defaultValue={fields.text.initialValue}
          placeholder={"Write a {{tone=friendly}} reply to this message:\n\n{{message}}"}
        />
      </Field>
      <Checkbox
        name="shared"
        defaultChecked={fields.shared.initialValue === "on"}
        label="Shared with the organization"
        hint="Let everyone use it; you and admins can change it"
      />
    </FormDialog>
  );
}
