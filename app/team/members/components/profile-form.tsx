import { Form, useNavigation } from "@remix-run/react";
import { ROLE_LABELS } from "~/core/actor";
import type { UserSettings } from "~/platform/settings/settings.schema";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import type { Result } from "~/ui/form-result";
import { Field, Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { editedVersion, formProps, inputProps } from "~/ui/server-form";
import type { CurrentUser } from "../members.schema";
import { useTextForm } from "./form-kit";

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
    <Card id="profile" title="Name and Role">
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

const START_LABELS: Record<UserSettings["startPage"], string> = { dashboard: "Dashboard", chat: "AI Chat" };

interface StartPageCardProps extends Pick<UserSettings, "startPage"> {
  mayChat: boolean;
}

/** Where a sign-in leads; without the chat there is no choice. */
export function StartPageCard({ startPage, mayChat }: StartPageCardProps) {
  const navigation = useNavigation();
  if (!mayChat) return null;
  return (
    <Card id="start-page" title="Start page" description="What opens after you sign in">
      <Form method="post" preventScrollReset className="flex flex-wrap items-end gap-2">
        <Field label="Open" name="startPage" className="w-full sm:w-64">
          <Select defaultValue={startPage}>
            {Object.entries(START_LABELS).map(([page, label]) => (
              <option key={page} value={page}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Button
          name="intent"
          value="save-start-page"
          pending={navigation.formData?.get("intent") === "save-start-page"}
        >
          Save
        </Button>
      </Form>
    </Card>
  );
}

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
