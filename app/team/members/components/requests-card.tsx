import { Form } from "@remix-run/react";
import type { Role } from "~/core/actor";
import { ROLE_LABELS } from "~/core/actor";
import { Avatar } from "~/ui/avatar";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Select } from "~/ui/input";
import { usePageAddress } from "~/ui/page-address";
import { type PageInfo, Pagination } from "~/ui/pagination";
import type { Member } from "../members.schema";
import { memberName } from "../members.shared";

function AdmitForm({ member, roles }: { member: Member; roles: Role[] }) {
  const name = memberName(member);
  return (
    <Form method="post" preventScrollReset className="flex items-center gap-2">
      <input type="hidden" name="id" value={member.id} />
      <Select name="role" defaultValue="viewer" aria-label={`Role of ${name}`} className="w-28">
        {roles.map((role) => (
          <option key={role} value={role}>
            {ROLE_LABELS[role]}
          </option>
        ))}
      </Select>
      <Button size="sm" name="intent" value="admit" aria-label={`Admit ${name}`}>
        Admit
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
        {memberName(member) !== member.email && (
          <p className="break-all text-muted text-xs">{member.email || "No email address"}</p>
        )}
      </div>
    </div>
  );
}

interface RequestsCardProps {
  requests: Member[];
  pageInfo: PageInfo;
  roles: Role[];
}

export function RequestsCard({ requests, pageInfo, roles }: RequestsCardProps) {
  const address = usePageAddress();
  if (requests.length === 0) return null;
  return (
    <Card title="Requests to Join" description="Admit or decline people who signed in with the provider.">
      <ul className="flex flex-col divide-y divide-line">
        {requests.map((member) => (
          <li
            key={member.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0"
          >
            <div className="min-w-0 flex-1 basis-56">
              <Person member={member} />
            </div>
            <AdmitForm member={member} roles={roles} />
            <Form method="post" preventScrollReset>
              <input type="hidden" name="id" value={member.id} />
              <Button size="sm" name="intent" value="decline" aria-label={`Decline ${memberName(member)}`}>
                Decline
              </Button>
            </Form>
          </li>
        ))}
      </ul>
      <Pagination
        pageInfo={pageInfo}
        label="Requests to join"
        to={(page) => address({ requests: String(page) })}
      />
    </Card>
  );
}
