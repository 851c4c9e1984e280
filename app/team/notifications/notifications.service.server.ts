import { z } from "zod";
import { onSessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { type Permission, permissions } from "~/platform/catalogue/permissions";
import { authorise, may } from "~/platform/rights/authorization.server";
import {
  CHANNELS,
  EVENT_NAMES,
  eventFacts,
  eventLabel,
  PERSONAL_CHANNELS,
} from "~/platform/settings/events.shared";
import { pushPublicKey } from "./channels/push.server";
import {
  countUnreadRows,
  deleteSubscription,
  deleteSubscriptionsOfSession,
  findNotificationRow,
  listChoices,
  listNotificationRows,
  listSubscriptions,
  markAllRowsRead,
  type NotificationRow,
  saveChoices,
  updateNotification,
  upsertSubscription,
} from "./notifications.repo.server";
import type {
  Notification,
  NotificationPreferences,
  NotificationPreferencesInput,
  NotificationQuery,
  PushSettings,
  PushSubscriptionInput,
} from "./notifications.schema";
import { announceChange, chosenChannels, isChannelOn } from "./notify.service.server";

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
    updateNotification(tx, id, { readAt });
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

export function readPreferences(actor: Actor): NotificationPreferences {
  authorise(actor, "notifications.own");
  const { role } = actor;
  const choices = listChoices(db(), [actor.userId]).get(actor.userId);
  return {
    events: EVENT_NAMES.filter((event) => may({ role }, eventFacts(event).permission)).map((event) => {
      const chosen = chosenChannels(choices, event);
      const { label, hint } = eventFacts(event);
      return {
        event,
        label,
        hint,
        channels: PERSONAL_CHANNELS.filter((channel) => chosen.includes(channel)),
      };
    }),
    on: CHANNELS.filter((channel) => isChannelOn(actor.orgId, channel)),
  };
}

/** Saves the form of the actor's events: `event:channel` of each box that was checked. */
export function savePreferencesForm(actor: Actor, checked: readonly string[]): NotificationPreferences {
  const { events } = readPreferences(actor);
  return savePreferences(actor, {
    events: Object.fromEntries(
      events.map(({ event }) => [
        event,
        PERSONAL_CHANNELS.filter((channel) => checked.includes(`${event}:${channel}`)),
      ]),
    ),
  });
}

export function savePreferences(actor: Actor, input: NotificationPreferencesInput): NotificationPreferences {
  authorise(actor, "preferences.write");
  return transaction((tx) => {
    const present = listChoices(tx, [actor.userId]).get(actor.userId);
    const copied = Object.entries(present ?? {}).map(([event, channels]) => [event, [...channels]]);
    saveChoices(tx, actor.userId, { ...Object.fromEntries(copied), ...input.events }, now());
    return readPreferences(actor);
  });
}

/** Per person; the oldest is replaced. */
const MAX_BROWSERS = 10;
const MAX_USER_AGENT = 300;

export function readPushSettings(actor: Actor): PushSettings {
  authorise(actor, "notifications.own");
  const browsers = listSubscriptions(db(), actor.userId).map(({ id, userAgent, sessionId, createdAt }) => ({
    id,
    userAgent,
    isCurrent: sessionId !== null && sessionId === actor.sessionId,
    createdAt: toIso(createdAt),
  }));
  return { publicKey: pushPublicKey(), browsers };
}

/** Replaces another person's subscription of the same browser. */
export function subscribeBrowser(
  actor: Actor,
  { endpoint, keys }: PushSubscriptionInput,
  userAgent: string | null,
): PushSettings {
  authorise(actor, "preferences.write");
  transaction((tx) => {
    upsertSubscription(tx, {
      id: newId("psh"),
      userId: actor.userId,
      sessionId: actor.sessionId ?? null,
      endpoint,
      ...keys,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      createdAt: now(),
    });
    const all = listSubscriptions(tx, actor.userId);
    for (const { id } of all.slice(0, -MAX_BROWSERS)) deleteSubscription(tx, actor.userId, id);
  });
  return readPushSettings(actor);
}

export function unsubscribeBrowser(actor: Actor, id: string): void {
  authorise(actor, "preferences.write");
  transaction((tx) => {
    if (!deleteSubscription(tx, actor.userId, id))
      throw new AppError("not_found", "Browser not found. It may have been removed.");
  });
}

/** Ends pushes on sign-out. @returns a stop function */
export function startPushCleanup(): () => void {
  return onSessionEnded((sessionId) => {
    try {
      transaction((tx) => deleteSubscriptionsOfSession(tx, sessionId));
    } catch (error) {
      log.error("a browser's pushes could not be ended", { error });
    }
  });
}
