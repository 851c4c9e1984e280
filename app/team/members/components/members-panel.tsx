import { Form } from "@remix-run/react";
import { ChevronDown, KeyRound, Link2, Pause, Play, Search, ShieldOff, Trash2, UserPlus } from "lucide-react";
import { Fragment } from "react";
import type { Role } from "~/core/actor";
import { ROLE_LABELS } from "~/core/actor";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf } from "~/ui/format";
import { Input, Select } from "~/ui/input";
import { Menu, MenuSubmit } from "~/ui/menu";
import { usePageAddress } from "~/ui/page-address";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { Member, MembersQuery } from "../members.schema";
import { memberName } from "../members.shared";

const MIN_SEARCHABLE = 8;

interface MembersListProps {
  members: Member[];
  pageInfo: PageInfo;
  total: number;
  query: MembersQuery;
  roles: Role[];
  ownId: string;
}

export function MembersList({ members, pageInfo, total, query, roles, ownId }: MembersListProps) {
  const address = usePageAddress();
  return (
    <Card
      id="members"
      title="People"
      description="Invite people and choose what they can do"
      actions={
        <LinkButton
          to={address({ dialog: "invite" })}
          preventScrollReset
          variant="primary"
          icon={<UserPlus aria-hidden="true" />}
        >
          Add Member
        </LinkButton>
      }
    >
      {(total >= MIN_SEARCHABLE || query.q) && <MembersFilter query={query} />}
      {members.length === 0 ? (
        <p className="text-muted">No members found. Try another name or email address.</p>
      ) : (
        <>
          <RowList label={countOf(pageInfo.total, "member")} flush>
            {members.map((member) => (
              <MemberRow key={member.id} member={member} roles={roles} isOwn={member.id === ownId} />
            ))}
          </RowList>
          <Pagination
            pageInfo={pageInfo}
            label="Members"
            to={(page) => `${address({ page: String(page) })}#members`}
          />
        </>
      )}
    </Card>
  );
}

const SORTS: Record<MembersQuery["sort"], string> = { name: "Name", role: "Role", seen: "Last seen" };

function MembersFilter({ query }: { query: MembersQuery }) {
  return (
    <Form method="get" preventScrollReset className="mb-4 flex flex-wrap items-center gap-2">
      <Input
        key={query.q}
        type="search"
        name="q"
        aria-label="Search members"
        placeholder="Search members..."
        defaultValue={query.q}
        maxLength={200}
        className="w-auto flex-1 basis-40 sm:max-w-80"
      />
      <Select
        key={query.sort}
        name="sort"
        aria-label="Sort by"
        defaultValue={query.sort}
        className="w-32"
        onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
      >
        {Object.entries(SORTS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Button icon={<Search aria-hidden="true" />}>Search</Button>
    </Form>
  );
}

function State({ member, isOwn }: { member: Member; isOwn: boolean }) {
  if (member.status === "suspended") return <Badge tone="danger">Suspended</Badge>;
  return isOwn ? <Badge tone="success">You</Badge> : null;
}

function RoleMenu({ member, roles }: { member: Member; roles: Role[] }) {
  const name = memberName(member);
  if (!roles.includes(member.role)) {
    return (
      <span className="px-2 text-muted" title="Only owners can change owners">
        {ROLE_LABELS[member.role]}
      </span>
    );
  }
  return (
    <Menu
      label={`Role of ${name}: ${ROLE_LABELS[member.role]}`}
      button={
        <>
          {ROLE_LABELS[member.role]}
          <ChevronDown aria-hidden="true" className="size-3.5" />
        </>
      }
      buttonClassName="flex min-h-8 items-center gap-1 rounded-md px-2 text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
    >
      {roles.map((role) => (
        <MenuSubmit
          key={role}
          values={{ intent: "change-role", id: member.id, role }}
          checked={role === member.role}
        >
          {ROLE_LABELS[role]}
        </MenuSubmit>
      ))}
    </Menu>
  );
}

function actionsFor(member: Member, address: ReturnType<typeof usePageAddress>): RowAction[] {
  const { id, status } = member;
  const name = memberName(member);
  const actions: RowAction[] = [];
  if (status === "active" && member.signIn.join() !== "oauth") {
    actions.push({
      label: "Reset Password",
      fullLabel: `Reset password of ${name}`,
      icon: <KeyRound />,
      to: address({ dialog: "link", id }),
    });
  } else if (status === "invited") {
    actions.push({
      label: "New Link",
      fullLabel: `New link for ${name}`,
      icon: <Link2 />,
      to: address({ dialog: "link", id }),
    });
  }
  if (status === "suspended") {
    actions.push({ label: "Resume", icon: <Play />, values: { intent: "resume", id } });
  } else if (status !== "invited") {
    actions.push({ label: "Suspend", icon: <Pause />, to: address({ dialog: "suspend", id }) });
  }
  if (member.hasSecondFactor) {
    actions.push({
      label: "Remove Second Factor",
      fullLabel: `Remove the second factor of ${name}`,
      icon: <ShieldOff />,
      to: address({ dialog: "remove-factor", id }),
    });
  }
  return [...actions, { label: "Remove", icon: <Trash2 />, to: address({ dialog: "remove", id }) }];
}

/** Breaks before the @ and after dots, so that a phone shows whole words. */
function Address({ email }: { email: string }) {
  const parts = email.split(/(?=@)|(?<=[.@_+-])(?=[^@])/);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one address don't move
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function MemberRow({ member, roles, isOwn }: { member: Member; roles: Role[]; isOwn: boolean }) {
  const pageAddress = usePageAddress();
  const name = memberName(member);
  const { email, lastSeenAt, status } = member;
  const actions = roles.includes(member.role) && !isOwn ? actionsFor(member, pageAddress) : [];
  const address = name === email ? undefined : email || "No email address";
  // On a phone the address has a line of its own.
  const separator = address && <span className="max-sm:hidden"> · </span>;
  return (
    <Row
      name={name}
      title={name === email ? <Address email={email} /> : name}
      icon={<Avatar name={name} src={member.profileImageUrl} />}
      meta={
        <>
          {address && <span className="max-sm:block max-sm:truncate">{address}</span>}
          {/* Not a badge: on a phone it would leave no room for an address. */}
          {status === "invited" && <span className="text-warning-ink">{separator}Invited</span>}
          {lastSeenAt && status === "active" && (
            <>
              {separator}
              <span className="max-sm:inline-block max-sm:text-wrap max-sm:first-letter:uppercase">
                <span className="max-sm:hidden">last </span>seen{" "}
                <RelativeTime at={lastSeenAt} style="running" />
              </span>
            </>
          )}
        </>
      }
      state={<State member={member} isOwn={isOwn} />}
      aside={
        <span className={actions.length === 0 ? "sm:mr-27" : actions.length === 2 ? "sm:mr-9" : undefined}>
          <RoleMenu member={member} roles={roles} />
        </span>
      }
      actions={actions}
    />
  );
}
