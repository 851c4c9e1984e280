import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { removeMemberWithin } from "~/team/members/member.service.server";

/** Keeps what they own. */
export function removeMember(actor: Actor, id: string): void {
  transaction((tx) => removeMemberWithin(tx, actor, id))();
}
