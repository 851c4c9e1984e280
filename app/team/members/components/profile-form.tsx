import { Form } from "@remix-run/react";
import { ROLE_LABELS } from "~/core/actor";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Dialog, FormActions } from "~/ui/dialog";
import { editedVersion, formProps, inputProps } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { CurrentUser } from "../members.schema";
import { PASSWORD_MAX, PASSWORD_MIN } from "../members.shared";
import { type Result, useTextForm } from "./form-kit";
import { PasswordInput } from "./password-input";

export function ProfileForm({ user, result }: { user: CurrentUser; result: Result }) {
  const { form, fields, element, intent } = useTextForm<"firstName" | "lastName" | "version">(
    "profile",
    result,
    {
      firstName: user.firstName ?? "",
      lastName: user.lastName ?? "",
    },
  );
  return (
    <Card id="profile" title="Profile" description="Your name and role">
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors?.[0] && <Notice kind="danger">{form.errors[0]}</Notice>}
        <input type="hidden" name="version" value={editedVersion(fields.version, user.version)} />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First name" id={fields.firstName.id} error={fields.firstName.errors}>
            <Input {...inputProps(fields.firstName, "text")} autoComplete="given-name" />
          </Field>
          <Field label="Last name" id={fields.lastName.id} error={fields.lastName.errors}>
            <Input {...inputProps(fields.lastName, "text")} autoComplete="family-name" />
          </Field>
          <Field label="Email" hint="Email cannot be changed">
            <Input type="email" value={user.email} readOnly />
          </Field>
          <Field label="Role" hint="Role is assigned by organization admin">
            <Input value={ROLE_LABELS[user.role]} readOnly />
          </Field>
        </div>
        <div>
          <Button variant="primary" name="intent" value="save-profile" pending={intent === "save-profile"}>
            Save Changes
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Sign-in method, with a link to change it. */
export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  return (
    <Card
      id="password"
      title="Password"
      actions={
        hasPassword && (
          <LinkButton to="?dialog=password" preventScrollReset size="sm">
            Change Password
          </LinkButton>
        )
      }
    >
      <p className="text-muted">
        {hasPassword
          ? "Changing your password signs you out everywhere else."
          : "You sign in through your organization's provider. Change your password there."}
      </p>
    </Card>
  );
}

export function PasswordDialog({
  closeTo,
  email,
  result,
}: {
  closeTo: string;
  email: string;
  result: Result;
}) {
  const { form, fields, element } = useTextForm<"currentPassword" | "newPassword">("password", result);
  return (
    <Dialog title="Change Password" description="Signs you out everywhere else." closeTo={closeTo} size="sm">
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors?.[0] && !form.allErrors.currentPassword && !form.allErrors.newPassword && (
          <Notice kind="danger">{form.errors[0]}</Notice>
        )}
        {/* For password managers. */}
        <input type="email" value={email} readOnly autoComplete="username" hidden />
        <Field
          label="Current password"
          id={fields.currentPassword.id}
          error={fields.currentPassword.errors}
          required
        >
          <PasswordInput
            {...inputProps(fields.currentPassword, "password")}
            autoComplete="current-password"
          />
        </Field>
        <Field
          label="New password"
          id={fields.newPassword.id}
          error={fields.newPassword.errors}
          hint={fields.newPassword.errors ? undefined : `Use at least ${PASSWORD_MIN} characters`}
          required
        >
          <PasswordInput
            {...inputProps(fields.newPassword, "password")}
            autoComplete="new-password"
            maxLength={PASSWORD_MAX}
          />
        </Field>
        <FormActions closeTo={closeTo} intent="change-password" label="Change Password" />
      </Form>
    </Dialog>
  );
}
