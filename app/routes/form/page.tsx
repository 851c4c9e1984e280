import { Form, type MetaArgs, useActionData, useLoaderData } from "@remix-run/react";
import { useId } from "react";
import { z } from "zod";
import { intent, screen } from "~/http/screen.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { Button } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { Field, FieldError, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";
import { readForm, submitForm, TRAP, VISIT } from "~/work/workflows/public-forms.service.server";

export const meta = (args: MetaArgs<typeof loader>) => pageTitle(args.data?.title ?? "Form")(args as never);

const { loader, action } = screen({
  access: "public",
  load: ({ params: { token = "" } }) => ({ ...readForm(token), trap: TRAP, visitField: VISIT }),
  actions: {
    submit: intent({
      access: "public",
      input: z.record(z.string(), z.unknown()),
      run: ({ form, params: { token = "" }, context: { address } }) => submitForm(token, form, address),
      done: (thanks) => ({ show: thanks }),
      failed: "fields",
    }),
  },
});

export { action, loader };

const TYPES = { text: "text", number: "text", email: "email", date: "date" } as const;

export default function PublicForm() {
  const { title, description, inputs, button, trap, visit, visitField } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  if (answer?.shown !== undefined)
    return (
      <AuthFrame title={title}>
        <Notice kind="success">
          <span className="whitespace-pre-line break-words">{answer.shown}</span>
        </Notice>
      </AuthFrame>
    );
  return (
    <AuthFrame
      title={title}
      subtitle={description && <span className="whitespace-pre-line break-words">{description}</span>}
    >
      <Form method="post" noValidate className="flex flex-col gap-4">
        <Fields inputs={inputs} result={answer?.result} />
        <input type="hidden" name={visitField} value={visit} />
        {/* Off the screen and out of the tab order: only a program fills it in. */}
        <div aria-hidden="true" className="absolute -left-[9999px] h-px w-px overflow-hidden">
          <input name={trap} tabIndex={-1} autoComplete="off" aria-label="Leave this empty" />
        </div>
        <Button name="intent" value="submit" variant="primary" size="lg">
          {button}
        </Button>
      </Form>
    </AuthFrame>
  );
}

interface FieldsProps {
  inputs: ReturnType<typeof useLoaderData<typeof loader>>["inputs"];
  result: Result;
}

function Fields({ inputs, result }: FieldsProps) {
  const { errors, formError, submitted = {} } = readResult(result);
  return (
    <>
      {formError && <Notice kind="danger">{formError}</Notice>}
      {inputs.map(({ field, kind, required, label }) => {
        const typed = submittedText(submitted[field]);
        if (kind === "yesno")
          return (
            <Box
              key={field}
              {...{ field, label, required }}
              error={errors[field]?.[0]}
              isTicked={typed === "on"}
            />
          );
        return (
          <Field key={field} label={label} name={field} error={errors[field]} required={required}>
            {kind === "long" ? (
              <Textarea rows={5} maxLength={10_000} defaultValue={typed} />
            ) : (
              <Input
                type={TYPES[kind]}
                {...(kind === "number" ? { inputMode: "decimal" as const } : {})}
                maxLength={500}
                defaultValue={typed}
              />
            )}
          </Field>
        );
      })}
    </>
  );
}

interface BoxProps {
  field: string;
  label: string;
  required: boolean;
  error: string | undefined;
  isTicked: boolean;
}

function Box({ field, label, required, error, isTicked }: BoxProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <Checkbox
        name={field}
        label={
          <>
            {label}
            {required && (
              <span aria-hidden="true" className="ml-0.5 text-danger-ink">
                *
              </span>
            )}
          </>
        }
        defaultChecked={isTicked}
        aria-required={required || undefined}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
      />
      {error && <FieldError id={id}>{error}</FieldError>}
    </div>
  );
}
