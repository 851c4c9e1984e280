import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import type { Result } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, inputProps, type ServerField } from "~/ui/server-form";
import { CodeField, PasswordField, useTextForm } from "./form-kit";

function firstFocus<Name extends string>(fields: Record<Name, ServerField>, names: readonly Name[]) {
  return names.find((name) => fields[name].errors?.length) ?? names[0];
}

interface EmailFieldProps {
  field: ServerField;
  autoFocus: boolean;
  /** Whether the browser offers passkeys here, too. */
  takesPasskeys?: boolean;
}

function EmailField({ field, autoFocus, takesPasskeys = false }: EmailFieldProps) {
  return (
    <Field label="Email" id={field.id} error={field.errors} required>
      <Input
        {...inputProps(field, "email")}
        autoFocus={autoFocus}
        autoComplete={takesPasskeys ? "username webauthn" : "username"}
        inputMode="email"
        autoCapitalize="none"
      />
    </Field>
  );
}

export function SignInForm({ result, passkeys }: { result: Result; passkeys: boolean }) {
  const { form, fields, element, pending } = useTextForm<"email" | "password">("sign-in", result);
  const focused = form.errors?.[0] ? "password" : firstFocus(fields, ["email", "password"]);
  return (
    <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
      {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
      <EmailField field={fields.email} autoFocus={focused === "email"} takesPasskeys={passkeys} />
      <PasswordField field={fields.password} autoFocus={focused === "password"} />
      <Button variant="primary" size="lg" pending={pending}>
        Sign In
      </Button>
      <p className="text-pretty text-muted text-sm">
        Forgot your password? Ask an admin for a reset link. If you are the only owner, ask who runs this
        server.
      </p>
    </Form>
  );
}

/** The password before a second factor is set up. */
export function SetUpForm({ result, passkeys }: { result: Result; passkeys: boolean }) {
  const { form, fields, element, pending } = useTextForm<"password">("password-proof", result);
  return (
    <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
      {form.errors?.[0] && !fields.password.errors && <Notice kind="danger">{form.errors[0]}</Notice>}
      <PasswordField field={fields.password} label="Your password" autoFocus />
      <Button variant="primary" size="lg" name="intent" value="begin" pending={pending}>
        Set Up Authenticator App
      </Button>
      {passkeys && (
        <div data-needs-passkeys="" hidden>
          <Button size="lg" name="intent" value="begin-passkey" className="w-full">
            Add Passkey
          </Button>
        </div>
      )}
    </Form>
  );
}

export function CodeForm({ result }: { result: Result }) {
  const { form, fields, element, pending } = useTextForm<"code">("sign-in-code", result);
  return (
    <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
      {form.errors?.[0] && !fields.code.errors && <Notice kind="danger">{form.errors[0]}</Notice>}
      <CodeField field={fields.code} hint="Without your phone, enter one of your recovery codes" />
      <Button variant="primary" size="lg" pending={pending}>
        Continue
      </Button>
    </Form>
  );
}

interface NewAccountFormProps {
  result: Result;
  /** A fixed address; otherwise the form asks. */
  email?: string;
  submit: string;
  /** False if the person has a name already. */
  named?: boolean;
}

export function NewAccountForm({ result, email, submit, named = true }: NewAccountFormProps) {
  const { form, fields, element, pending } = useTextForm<"firstName" | "lastName" | "email" | "password">(
    "new-account",
    result,
  );
  const focused = firstFocus(fields, named ? ["firstName", "lastName", "email", "password"] : ["password"]);
  return (
    <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
      {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
      {named && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First name" id={fields.firstName.id} error={fields.firstName.errors}>
            <Input
              {...inputProps(fields.firstName, "text")}
              autoFocus={focused === "firstName"}
              autoComplete="given-name"
            />
          </Field>
          <Field label="Last name" id={fields.lastName.id} error={fields.lastName.errors}>
            <Input
              {...inputProps(fields.lastName, "text")}
              autoFocus={focused === "lastName"}
              autoComplete="family-name"
            />
          </Field>
        </div>
      )}
      {email === undefined ? (
        <EmailField field={fields.email} autoFocus={focused === "email"} />
      ) : (
        // Password managers store the new password under it.
        <Field label="Email">
          <Input type="email" value={email} readOnly autoComplete="username" />
        </Field>
      )}
      <PasswordField field={fields.password} autoFocus={focused === "password"} isNew />
      <Button variant="primary" size="lg" pending={pending}>
        {submit}
      </Button>
    </Form>
  );
}
