import { Form } from "@remix-run/react";
import { LinkButton } from "~/ui/button";
import { Dialog, DialogActions, FormActions } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, inputProps } from "~/ui/server-form";
import type { Invitation, Member } from "../members.schema";
import { ROLE_HINTS } from "../role-hints.schema";
import type { Role } from "../roles.schema";
import { type Result, useTextForm } from "./form-kit";
import { memberName } from "./members-panel";
import { OnceShown } from "./once-shown";

/** Adds a member by e-mail and role. */
export function InviteDialog({ closeTo, roles, result }: { closeTo: string; roles: Role[]; result: Result }) {
  const { form, fields, element } = useTextForm<"email" | "role">("invite", result);
  return (
    <Dialog
      title="Add member"
      description="You get a one-time link to pass on. Nothing is sent by itself."
      closeTo={closeTo}
    >
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors?.[0] && !fields.email.errors && <Notice kind="danger">{form.errors[0]}</Notice>}
        <Field label="E-mail" id={fields.email.id} error={fields.email.errors} required>
          <Input
            {...inputProps(fields.email, "email")}
            autoComplete="off"
            inputMode="email"
            autoCapitalize="none"
          />
        </Field>
        <Field label="Role" name="role" error={fields.role.errors}>
          <Select defaultValue={fields.role.initialValue ?? "member"}>
            {roles.map((role) => (
              <option key={role} value={role}>
                {role}: {ROLE_HINTS[role].toLowerCase()}
              </option>
            ))}
          </Select>
        </Field>
        <FormActions closeTo={closeTo} intent="invite" label="Create link" />
      </Form>
    </Dialog>
  );
}

/** Asks before a new link replaces an older one. */
export function LinkDialog({ closeTo, member }: { closeTo: string; member: Member }) {
  return (
    <Dialog
      size="sm"
      title={`New link for ${memberName(member)}`}
      description={
        member.status === "invited"
          ? "The link you passed on before stops working."
          : "For someone who lost their password. Using the link ends their sessions."
      }
      closeTo={closeTo}
    >
      <Form method="post">
        <input type="hidden" name="id" value={member.id} />
        <FormActions closeTo={closeTo} intent="new-link" label="Create link" />
      </Form>
    </Dialog>
  );
}

/** Shows a link that was just made. */
export function InvitationDialog({ closeTo, invitation }: { closeTo: string; invitation: Invitation }) {
  return (
    <Dialog title={`Link for ${memberName(invitation.member)}`} closeTo={closeTo}>
      <OnceShown
        title="The link is ready."
        label="Link"
        value={invitation.inviteUrl}
        hint="Whoever opens it gets the account: pass it on to that person only. It works once, for 7 days."
      />
      <DialogActions>
        <LinkButton to={closeTo} preventScrollReset variant="primary">
          Done
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}
