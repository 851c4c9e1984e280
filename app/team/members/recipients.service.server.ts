import type { Db } from "~/core/db.server";
import type { Permission } from "~/platform/catalogue/permissions";
import { may } from "~/platform/rights/authorization.server";
import { listMemberRows } from "./user.repo.server";

export interface Recipient {
  id: string;
  email: string;
}

export function listRecipients(
  db: Db,
  orgId: string,
  { permission, userIds }: { permission: Permission; userIds?: readonly string[] },
): Recipient[] {
  return listMemberRows(db, orgId)
    .filter(
      ({ id, status, role }) =>
        status === "active" && may({ role }, permission) && (userIds?.includes(id) ?? true),
    )
    .map(({ id, email }) => ({ id, email }));
}
