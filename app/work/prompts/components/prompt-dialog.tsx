import type { SubmissionResult } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { Dialog, DialogActions } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { Field, Input, Textarea } from "~/ui/input";
import { editedVersion, fieldProps, serverForm } from "~/ui/server-form";
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
      result={last}
      problem={explainFormError(form.errors?.join(" "), isMissing ?? false, "Create")}
      hidden={{ id: prompt?.id, updatedAt: editedVersion(fields.updatedAt, prompt?.updatedAt) }}
      intent={prompt ? "update" : "create"}
      label={prompt ? "Save Changes" : "Create Prompt"}
    >
      <Field label="Name" {...fieldProps(fields.name)} required>
        <Input defaultValue={fields.name.initialValue} placeholder="Reply to a customer" autoComplete="off" />
      </Field>
      <Field
        label="Prompt"
        {...fieldProps(fields.text)}
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

interface UsePromptDialogProps {
  prompt: Prompt;
  /** The filled text. */
  filled: string | undefined;
  result: Result;
  mayChat: boolean;
  closeTo: string;
}

export function UsePromptDialog({ prompt, filled, result, mayChat, closeTo }: UsePromptDialogProps) {
  const { id, name, text, variables } = prompt;
  const ready = filled ?? (variables.length === 0 ? text : undefined);
  const { errors, submitted } = readResult(result);
  const values = submitted && [submitted.values].flat();
  if (ready === undefined) {
    return (
      <FormDialog
        title={name}
        description="Fill in the variables"
        closeTo={closeTo}
        hidden={{ id }}
        intent="fill"
        label="Continue"
      >
        {variables.map(({ name: variable, fallback, required }, index) => (
          <Field
            key={variable}
            label={variable}
            name="values"
            error={errors[`values[${index}]`]}
            required={required}
          >
            <Textarea rows={2} defaultValue={values ? String(values[index] ?? "") : fallback} />
          </Field>
        ))}
      </FormDialog>
    );
  }
  return (
    <Dialog
      title={name}
      description="You can still edit the text in chat before you send it"
      closeTo={closeTo}
    >
      <Form method="post" action="/chat" className="flex flex-col gap-4">
        <Field label="Text" name="content">
          <Textarea key={ready} rows={8} defaultValue={ready} />
        </Field>
        <DialogActions>
          <LinkButton to={closeTo} preventScrollReset>
            Cancel
          </LinkButton>
          {mayChat && (
            <Button variant="primary" name="intent" value="persona">
              Use in Chat
            </Button>
          )}
        </DialogActions>
      </Form>
    </Dialog>
  );
}
