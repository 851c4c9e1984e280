import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type Permission, permissions } from "~/platform/catalogue/permissions";
import { authorise, may } from "~/platform/rights/authorization.server";
import { eventLabel } from "~/platform/settings/events.shared";
import {
  countUnreadRows,
  findNotificationRow,
  listNotificationRows,
  markAllRowsRead,
  type NotificationRow,
  setReadAt,
} from "./notifications.repo.server";
import type { Notification, NotificationQuery } from "./notifications.schema";
import { announceChange } from "./notify.service.server";

const pages = keyset(z.tuple([KeyNumber, KeyId]));

/** Notifications whose permission was lost are hidden. */
const permissionsOf = ({ role }: Actor): string[] =>
  (Object.keys(permissions) as Permission[]).filter((permission) => may({ role }, permission));

const toIso = (at: number) => new Date(at).toISOString();

function toNotification({ id, event, title, body, link, createdAt, readAt }: NotificationRow): Notification {
  return {
    id,
    event,
    label: eventLabel(event),
    title,
    body,
    link,
    createdAt: toIso(createdAt),
    readAt: readAt === null ? null : toIso(readAt),
  };
}

export function pageNotifications(
  actor: Actor,
  { unread, cursor, limit }: NotificationQuery,
): { notifications: Notification[]; next?: string } {
  authorise(actor, "notifications.own");
  const key = pages.decode(cursor);
  const results = listNotificationRows(db(), actor.userId, permissionsOf(actor), {
    unread,
    after: key && { at: key[0], id: key[1] },
    limit: limit + 1,
  });
  const { rows, ...page } = pages.page(results, limit, ({ createdAt, id }) => [createdAt, id]);
  return { notifications: rows.map(toNotification), ...page };
}

export function countUnread(actor: Actor): number {
  authorise(actor, "notifications.own");
  return countUnreadRows(db(), actor.userId, permissionsOf(actor));
}

export function markNotification(actor: Actor, id: string, read: boolean): Notification {
  authorise(actor, "notifications.own");
  return transaction((tx) => {
    const row = findNotificationRow(tx, actor.userId, permissionsOf(actor), id);
    if (!row) throw new AppError("not_found", "Notification not found. It may have been deleted.");
    if ((row.readAt !== null) === read) return toNotification(row);
    const readAt = read ? now() : null;
    setReadAt(tx, actor.userId, id, readAt);
    announceChange(actor.orgId, actor.userId);
    return toNotification({ ...row, readAt });
  });
}

export function markAllRead(actor: Actor): void {
  authorise(actor, "notifications.own");
  transaction((tx) => {
    if (markAllRowsRead(tx, actor.userId, now()) > 0) announceChange(actor.orgId, actor.userId);
  });
}
