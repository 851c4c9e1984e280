import { ROLE_LABELS, type Role } from "~/core/actor";
import { LinkButton } from "~/ui/button";
import { Dialog, DialogActions } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import type { Result } from "~/ui/form-result";
import { Field, Input, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { OneTimeSecret } from "~/ui/one-time-secret";
import { inputProps, serverForm } from "~/ui/server-form";
import type { Invitation, Member } from "../members.schema";
import { linkTitle, memberName, ROLE_HINTS } from "../members.shared";

export function InviteDialog({ closeTo, roles, result }: { closeTo: string; roles: Role[]; result: Result }) {
  const [, fields] = serverForm<"email" | "role">({ id: "invite", lastResult: result });
  return (
    <FormDialog
      title="Add Member"
      description="Creates a one-time invitation link. No email is sent."
      closeTo={closeTo}
      result={result}
      problem={fields.email.errors && null}
      intent="invite"
      label="Create Link"
    >
      <Field label="Email" id={fields.email.id} error={fields.email.errors} required>
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
              {ROLE_LABELS[role]} ({ROLE_HINTS[role]})
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}

export function LinkDialog({ closeTo, member }: { closeTo: string; member: Member }) {
  return (
    <FormDialog
      size="sm"
      title={linkTitle(member)}
      description={
        member.status === "invited"
          ? "The previous link stops working."
          : "Creates a one-time link to choose a new password. Using it ends their sessions. No email is sent."
      }
      closeTo={closeTo}
      hidden={{ id: member.id }}
      intent="new-link"
      label="Create Link"
    />
  );
}

/** Whether an address names the computer on which it is opened. */
export const isLocalAddress = (address: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

export function InvitationDialog({ closeTo, invitation }: { closeTo: string; invitation: Invitation }) {
  return (
    <Dialog title={`Link for ${memberName(invitation.member)}`} closeTo={closeTo}>
      <OneTimeSecret
        title="Copy this link now. It won't be shown again."
        label="Link"
        value={invitation.inviteUrl}
        hint={
          invitation.member.status === "invited"
            ? `Anyone with this link can join as ${memberName(invitation.member)}. Valid once, for 7 days.`
            : `Anyone with this link can set the password of ${memberName(invitation.member)}. Valid once, for 1 hour.`
        }
      />
      {isLocalAddress(invitation.inviteUrl) && (
        <Notice kind="warning" title="This link opens only on this computer">
          Open the console at an address that others can reach, or set <code>PUBLIC_URL</code>, and create a
          new link there.
        </Notice>
      )}
      <DialogActions>
        <LinkButton to={closeTo} preventScrollReset>
          Done
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}
