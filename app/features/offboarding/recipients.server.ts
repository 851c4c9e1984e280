import type { Db } from "~/core/db.server";
import { roleOf } from "~/features/members/member.service.server";
import { may } from "~/platform/rights/authorization.server";
import type { Ownership } from "./ownership.service.server";

/** Whether the member's current role has the permission. */
export function canReceive(
  tx: Db,
  orgId: string,
  { permission }: Pick<Ownership, "permission">,
  id: string,
): boolean {
  const role = roleOf(tx, orgId, id);
  return role !== undefined && may({ role }, permission);
}
