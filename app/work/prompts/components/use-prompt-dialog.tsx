import { Form } from "@remix-run/react";
import { Button, LinkButton } from "~/ui/button";
import { Dialog, DialogActions } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Textarea } from "~/ui/input";
import type { Prompt } from "../prompts.schema";

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
  const cancel = (
    <LinkButton to={closeTo} preventScrollReset>
      Cancel
    </LinkButton>
  );
  if (ready === undefined) {
    return (
      <Dialog title={name} description="Fill in the variables" closeTo={closeTo}>
        <Form method="post" noValidate className="flex flex-col gap-4">
          <input type="hidden" name="id" value={id} />
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
          <DialogActions>
            {cancel}
            <Button variant="primary" name="intent" value="fill">
              Continue
            </Button>
          </DialogActions>
        </Form>
      </Dialog>
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
          {cancel}
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
