import type { Db } from "~/core/db.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";

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
