import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId, readSetting } from "~/platform/settings/settings.service.server";
import { isBusy } from "../chat.service.server";
import { announceConversations } from "../list/announce.server";
import { markDeleted } from "../list/list.service.server";
import { countExpiredRows, listExpired } from "./retention.repo.server";

/** Per transaction, each with its audit entry. */
const BATCH = 50;

/** Days after its last message that a conversation is kept; undefined for ever. */
export const retentionDays = ({ orgId }: Pick<Actor, "orgId">): number | undefined =>
  readSetting(orgId, "security.conversationRetention") || undefined;

/** The organization whose chats expire, and the time before which; undefined if they are kept for ever. */
export function findRetention(): { orgId: string; days: number; before: number } | undefined {
  const orgId = installationOrgId();
  const days = orgId === undefined ? undefined : retentionDays({ orgId });
  return orgId === undefined || days === undefined
    ? undefined
    : { orgId, days, before: oldestKept(days * DAY) };
}

/** How many conversations a retention of so many days would delete, by a clock that is right. */
export function countExpired(actor: Actor, days: number): number {
  authorise(actor, "settings.manage");
  return countExpiredRows(db(), actor.orgId, now() - days * DAY);
}

export function hasExpired(): boolean {
  const retention = findRetention();
  return retention !== undefined && listExpired(db(), retention.orgId, retention.before, 1).length > 0;
}

/** Deletes some of the conversations that the retention doesn't keep, as their owners would. @returns how many */
export function deleteExpired(): number {
  const retention = findRetention();
  if (!retention) return 0;
  const { orgId, days, before } = retention;
  const deleted = transaction((tx) => {
    const rows = listExpired(tx, orgId, before, BATCH).filter(({ id }) => !isBusy(id));
    const system = { orgId, userId: "system" };
    for (const { id } of rows) markDeleted(tx, system, id, now(), { retentionDays: days });
    return rows;
  });
  for (const userId of new Set(deleted.map((row) => row.userId))) announceConversations({ orgId, userId });
  return deleted.length;
}
