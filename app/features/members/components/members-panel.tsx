import { Form } from "@remix-run/react";
import { UserPlus } from "lucide-react";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Select } from "~/ui/input";
import { RelativeTime } from "~/ui/time";
import type { Member } from "../members.schema";
import type { Role } from "../roles.schema";

export function memberName(member: Pick<Member, "firstName" | "lastName" | "email">): string {
  return [member.firstName, member.lastName].filter(Boolean).join(" ") || member.email || "No name";
}

interface RoleChoiceProps {
  member: Member;
  roles: Role[];
  intent: string;
  button: string;
  chosen: Role;
}

/** A role and the button that gives it. */
function RoleChoice({ member, roles, intent, button, chosen }: RoleChoiceProps) {
  return (
    <Form method="post" preventScrollReset className="flex items-center gap-2">
      <input type="hidden" name="id" value={member.id} />
      <Select name="role" defaultValue={chosen} aria-label={`Role of ${memberName(member)}`} className="w-28">
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
      <Button size="sm" name="intent" value={intent} aria-label={`${button} ${memberName(member)}`}>
        {button}
      </Button>
    </Form>
  );
}

function Person({ member }: { member: Member }) {
  return (
    <div className="flex min-w-0 items-center gap-3">
      <Avatar name={memberName(member)} />
      <div className="min-w-0">
        <p className="break-words font-medium">{memberName(member)}</p>
        <p className="break-all text-muted text-xs">{member.email || "no e-mail address"}</p>
      </div>
    </div>
  );
}

/** People who have signed in at the provider and whom nobody has admitted yet. */
export function RequestsCard({ requests, roles }: { requests: Member[]; roles: Role[] }) {
  if (requests.length === 0) return null;
  return (
    <Card
      title="Requests to join"
      description="They have signed in at the provider and wait for your decision."
    >
      <ul className="flex flex-col divide-y divide-line">
        {requests.map((member) => (
          <li
            key={member.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0"
          >
            <div className="min-w-0 flex-1 basis-56">
              <Person member={member} />
            </div>
            <RoleChoice member={member} roles={roles} intent="admit" button="Admit" chosen="viewer" />
            <Form method="post" preventScrollReset>
              <input type="hidden" name="id" value={member.id} />
              <Button size="sm" name="intent" value="decline" aria-label={`Decline ${memberName(member)}`}>
                Decline
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface MembersListProps {
  members: Member[];
  /** The roles that the reader may give. */
  roles: Role[];
  /** The reader's own id. */
  ownId: string;
}

/** Members and invited people, with what the reader may do with each. */
export function MembersList({ members, roles, ownId }: MembersListProps) {
  return (
    <Card
      title="Members"
      description="Who may use this console, and their role."
      actions={
        <LinkButton
          to="?dialog=invite"
          preventScrollReset
          variant="primary"
          icon={<UserPlus aria-hidden="true" />}
        >
          Add member
        </LinkButton>
      }
    >
      <ul className="flex flex-col divide-y divide-line">
        {members.map((member) => (
          <MemberRow key={member.id} member={member} roles={roles} own={member.id === ownId} />
        ))}
      </ul>
    </Card>
  );
}

function LastSeen({ member }: { member: Member }) {
  if (member.status === "invited") return <Badge tone="warning">Invited</Badge>;
  if (member.status === "suspended") return <Badge tone="danger">Suspended</Badge>;
  if (!member.lastSeenAt) return <span className="text-muted text-xs">Not signed in now</span>;
  return (
    <span className="text-muted text-xs">
      <RelativeTime at={member.lastSeenAt} />
    </span>
  );
}

/** Suspends an active member, or lets a suspended one in again. */
function SuspensionButton({ member }: { member: Member }) {
  if (member.status === "invited") return null;
  const [intent, label] = member.status === "suspended" ? ["resume", "Resume"] : ["suspend", "Suspend"];
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="id" value={member.id} />
      <Button size="sm" name="intent" value={intent} aria-label={`${label} ${memberName(member)}`}>
        {label}
      </Button>
    </Form>
  );
}

function MemberRow({ member, roles, own }: { member: Member; roles: Role[]; own: boolean }) {
  const mayChange = roles.includes(member.role);
  const id = encodeURIComponent(member.id);
  const name = memberName(member);
  return (
    <li className="grid items-center gap-x-4 gap-y-3 py-3 first:pt-0 last:pb-0 md:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_8rem_13rem_16.5rem]">
      <Person member={member} />
      <p className="flex flex-wrap items-center gap-2">
        {own && <Badge tone="success">You</Badge>}
        <LastSeen member={member} />
      </p>
      {mayChange ? (
        <RoleChoice member={member} roles={roles} intent="change-role" button="Save" chosen={member.role} />
      ) : (
        <p>
          {member.role} <span className="text-muted text-xs">· owners change owners</span>
        </p>
      )}
      {mayChange && !own && (
        <div className="flex flex-wrap gap-2 xl:justify-end">
          {member.status !== "suspended" && (
            <LinkButton
              to={`?dialog=link&id=${id}`}
              preventScrollReset
              size="sm"
              aria-label={`New link for ${name}`}
            >
              New link
            </LinkButton>
          )}
          <SuspensionButton member={member} />
          <LinkButton
            to={`?dialog=remove&id=${id}`}
            preventScrollReset
            size="sm"
            aria-label={`Remove ${name}`}
          >
            Remove
          </LinkButton>
        </div>
      )}
    </li>
  );
}
