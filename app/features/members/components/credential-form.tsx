import { getFormProps, getInputProps, type SubmissionResult, useForm } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { useRef } from "react";
import { Button } from "~/ui/button";
import { useFocusFirstError } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { PASSWORD_MAX, PASSWORD_MIN } from "../members.schema";

type Result = SubmissionResult<string[]> | null | undefined;

function useCredentials(result: Result, id: string) {
  const [form, fields] = useForm<Record<"firstName" | "lastName" | "email" | "password", string>>({
    id,
    lastResult: result ?? null,
  });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  return { form, fields, element, pending: navigation.state !== "idle" && navigation.formMethod === "POST" };
}

/** conform's input properties without the key, which React wants outside a spread. */
function inputProps(field: Parameters<typeof getInputProps>[0], type: "text" | "email" | "password") {
  const { key: _, ...props } = getInputProps(field, { type });
  return props;
}

/** E-mail and password of a local account. */
export function SignInForm({ result }: { result: Result }) {
  const { form, fields, element, pending } = useCredentials(result, "sign-in");
  return (
    <Form method="post" {...getFormProps(form)} ref={element} noValidate className="flex flex-col gap-4">
      {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
      <Field label="E-mail" id={fields.email.id} error={fields.email.errors} required>
        <Input
          {...inputProps(fields.email, "email")}
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
        />
      </Field>
      <Field label="Password" id={fields.password.id} error={fields.password.errors} required>
        <Input {...inputProps(fields.password, "password")} autoComplete="current-password" />
      </Field>
      <Button variant="primary" size="lg" pending={pending}>
        Sign in
      </Button>
    </Form>
  );
}

interface NewAccountFormProps {
  result: Result;
  /** Whose account it is, where that is settled; otherwise the form asks. */
  email?: string;
  submit: string;
}

/** Name and a new password: for the first owner and for invited people. */
export function NewAccountForm({ result, email, submit }: NewAccountFormProps) {
  const { form, fields, element, pending } = useCredentials(result, "new-account");
  return (
    <Form method="post" {...getFormProps(form)} ref={element} noValidate className="flex flex-col gap-4">
      {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" id={fields.firstName.id} error={fields.firstName.errors}>
          <Input {...inputProps(fields.firstName, "text")} autoComplete="given-name" />
        </Field>
        <Field label="Last name" id={fields.lastName.id} error={fields.lastName.errors}>
          <Input {...inputProps(fields.lastName, "text")} autoComplete="family-name" />
        </Field>
      </div>
      {email === undefined ? (
        <Field label="E-mail" id={fields.email.id} error={fields.email.errors} required>
          <Input
            {...inputProps(fields.email, "email")}
            autoComplete="username"
            inputMode="email"
            autoCapitalize="none"
          />
        </Field>
      ) : (
        // Password managers file the new password under it.
        <Field label="E-mail">
          <Input type="email" value={email} readOnly autoComplete="username" />
        </Field>
      )}
      <Field
        label="Password"
        id={fields.password.id}
        error={fields.password.errors}
        hint={`At least ${PASSWORD_MIN} characters`}
        required
      >
        <Input
          {...inputProps(fields.password, "password")}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
        />
      </Field>
      <Button variant="primary" size="lg" pending={pending}>
        {submit}
      </Button>
    </Form>
  );
}
