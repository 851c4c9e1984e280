import { data, type HeadersFunction } from "@remix-run/node";
import { Form, type MetaArgs, useActionData, useLoaderData } from "@remix-run/react";
import { useId } from "react";
import { z } from "zod";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { Button, LinkButton } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { splitMessage } from "~/ui/format";
import { Field, FieldError, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { pageTitle } from "~/ui/page-header";
import {
  type PublicForm as FormShown,
  readForm,
  submitForm,
  TRAP,
  VISIT,
} from "~/work/workflows/public-forms.service.server";
import { FORM_FIELD, FORM_PATH } from "~/work/workflows/workflows.shared";

export const meta = (args: MetaArgs<typeof loader>) =>
  pageTitle(args.data?.form?.title ?? "Closed form")(args as never);

const { loader, action } = screen({
  access: "public",
  query: z.object({ sent: z.string().optional().catch(undefined) }),
  load: ({ params: { token = "" }, query: { sent } }) => {
    const { selected, missing } = findOrExplain(() => readForm(token));
    if (!selected) return data({ form: undefined, thanks: undefined, closed: missing }, { status: 404 });
    const { thanks, ...shown } = selected;
    const form = { ...shown, trap: TRAP, visitField: VISIT };
    return data({ form, thanks: sent ? thanks : undefined, closed: undefined });
  },
  actions: {
    submit: intent({
      access: "public",
      input: z.record(z.string(), z.unknown()),
      run: ({ form, params: { token = "" }, context: { address } }) => submitForm(token, form, address),
      // A page of its own, to which Back and Reload send nothing again.
      done: (_, { params: { token } }) => ({ to: `${FORM_PATH}${token}?sent=1` }),
      failed: "fields",
    }),
  },
});

export { action, loader };

/** Back to a refused answer shows it out of the browser's own cache; without one it is an error of the browser's. */
export const headers: HeadersFunction = () => ({ "Cache-Control": "private, no-cache" });

const TYPES = { text: "text", number: "text", email: "email", date: "date" } as const;

export default function PublicForm() {
  const { form, thanks, closed = "" } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const address = usePageAddress();
  if (!form) {
    const { title, rest } = splitMessage(closed);
    const texts = Object.entries(readResult(result).submitted ?? {}).flatMap(([name, value]) =>
      name.startsWith(FORM_FIELD) ? submittedText(value).trim() || [] : [],
    );
    // A ticked box is sent as "on".
    const typed = [...new Set(texts)].filter((text) => text !== "on");
    return (
      <AuthFrame title={title}>
        <p className="text-muted">{rest}</p>
        {typed.length > 0 && (
          <section aria-label="What you wrote" className="flex flex-col gap-2">
            <h2 className="text-sm">What you wrote, to copy it:</h2>
            {typed.map((text) => (
              <p
                key={text}
                className="wrap-anywhere whitespace-pre-line rounded-md border border-line p-2 text-sm"
              >
                {text}
              </p>
            ))}
          </section>
        )}
      </AuthFrame>
    );
  }
  const { title, description, inputs, button, trap, visit, visitField } = form;
  if (thanks !== undefined)
    return (
      <AuthFrame title={title}>
        <Notice kind="success">
          <span className="whitespace-pre-line break-words">{thanks}</span>
        </Notice>
        <LinkButton to={address({ sent: undefined })} className="self-start">
          Send Another Answer
        </LinkButton>
      </AuthFrame>
    );
  return (
    <AuthFrame
      title={title}
      subtitle={description && <span className="whitespace-pre-line break-words">{description}</span>}
    >
      <Form method="post" noValidate className="flex flex-col gap-4">
        <Fields inputs={inputs} result={result} />
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
  inputs: FormShown["inputs"];
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
              <Textarea dir="auto" rows={5} defaultValue={typed} />
            ) : (
              <Input
                type={TYPES[kind]}
                {...(kind === "text" ? { dir: "auto" } : {})}
                {...(kind === "number" ? { inputMode: "decimal" as const } : {})}
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
