import { z } from "zod";
import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { DAY, HOUR } from "~/core/durations";
import { newId } from "~/core/ids.server";
import { clip, withoutOverrides } from "~/core/well-formed";
import type { Permission } from "~/platform/catalogue/permissions";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import {
  type Channel,
  eventFacts,
  type NotificationEvent,
  SHARED_CHANNELS,
  type SharedChannel,
} from "~/platform/settings/events.shared";
import { installationOrgId, readSettings } from "~/platform/settings/settings.service.server";
import { listRecipients } from "~/team/members/member.service.server";
import { onSecondFactorRemoved } from "~/team/members/second-factor.service.server";
import { onExcessAttempt } from "~/team/members/sign-in.service.server";
import {
  hasRecentDelivery,
  insertDelivery,
  insertNotification,
  listChoices,
  listSubscriptions,
  markEventRead,
  type NotificationChoices,
  replaceRecentTexts,
} from "./notifications.repo.server";

/** Declared here, since its work imports the channels, which programs beside the server can't load. */
export const notificationDelivery = declareJob({
  kind: "notifications.deliver",
  input: z.object({ deliveryId: z.string() }),
  lane: "interactive",
});

export interface NotificationInput {
  event: NotificationEvent;
  organisationId: string;
  /** Active members with the permission, limited to `userIds` if given. */
  audience: { permission: Permission; userIds?: readonly string[] };
  title: string;
  body?: string;
  /** A path, such as `/workflows/runs/run_…`. */
  link: string;
  /** Repeated keys are ignored. */
  dedupeKey: string;
  /**
   * Throttles by subject: within `ms` the listed text is replaced and nothing sent. The key begins with the subject and
   * a colon.
   */
  throttle?: { subject: string; ms: number };
  /** Never sent to shared channels. */
  isPrivate?: boolean;
}

const MAX_TITLE = 200;
const MAX_BODY = 2000;

const plain = (text: string) => withoutOverrides(text).trim();
const cut = (text: string, max: number) => (text.length > max ? `${clip(text, max - 1).trimEnd()}…` : text);

export function chosenChannels(
  choices: NotificationChoices | undefined,
  event: NotificationEvent,
): readonly string[] {
  return choices?.[event] ?? eventFacts(event).defaultChannels;
}

/** Only the owner is notified. */
const isOwn = ({ userId }: Actor, ids: readonly string[]) => new Set(ids.filter((id) => id === userId));

/** Published after the running transaction. */
export function announceChange(orgId: string, userId: string): void {
  runNext("live notifications", () =>
    publish({ topic: "notifications", orgId, id: userId, findVisible: isOwn }),
  );
}

/** Lists a notification and queues its channels within the transaction. */
export function notify(tx: Db, input: NotificationInput): void {
  const { event, organisationId: orgId, audience, link, dedupeKey } = input;
  const at = now();
  const message = {
    orgId,
    event,
    title: cut(plain(input.title.replace(/\s+/g, " ")), MAX_TITLE),
    body: cut(plain(input.body ?? ""), MAX_BODY),
    link,
    permission: audience.permission,
    dedupeKey,
    createdAt: at,
  };
  const send = (channel: Channel, target: string, userId: string | null) => {
    const id = newId("dlv");
    if (!insertDelivery(tx, { ...message, id, channel, target, userId, state: "queued" })) return;
    const options = { orgId, owner: userId ?? orgId, subject: `delivery:${id}` };
    enqueue(tx, notificationDelivery, { deliveryId: id }, options);
  };

  const userIds = listRecipients(tx, orgId, audience).map(({ id }) => id);
  const { throttle } = input;
  const recent = throttle && { userIds, orgId, event, subject: throttle.subject, since: at - throttle.ms };
  const { title, body } = message;
  const holders = new Set(recent ? replaceRecentTexts(tx, recent, { title, body, link }) : []);
  for (const userId of holders) announceChange(orgId, userId);
  // Users who weren't notified of the earlier event are notified of this one.
  const isNotified = (userId: string | null) =>
    (userId !== null && holders.has(userId)) ||
    (recent !== undefined && hasRecentDelivery(tx, recent, userId));
  const waiting = userIds.filter((userId) => !isNotified(userId));
  const choices = listChoices(tx, waiting);
  for (const userId of waiting) {
    if (!insertNotification(tx, { ...message, id: newId("ntf"), userId, readAt: null })) continue;
    announceChange(orgId, userId);
    const chosen = chosenChannels(choices.get(userId), event);
    const isWanted = (channel: Channel) => chosen.includes(channel) && isChannelOn(orgId, channel);
    if (isWanted("email")) send("email", userId, userId);
    if (isWanted("push")) for (const { id } of listSubscriptions(tx, userId)) send("push", id, userId);
  }
  if (input.isPrivate || isNotified(null)) return;
  for (const channel of SHARED_CHANNELS)
    if (isChannelOn(orgId, channel) && isEventShared(orgId, channel, event)) send(channel, "", null);
}

/** Marks an event's notifications as read, within the transaction. */
export function markEventNotificationsRead(
  tx: Db,
  input: Pick<NotificationInput, "event" | "organisationId" | "audience" | "dedupeKey">,
): void {
  const { event, organisationId: orgId, dedupeKey } = input;
  for (const { id: userId } of listRecipients(tx, orgId, input.audience))
    if (markEventRead(tx, { userId, event, dedupeKey }, now())) announceChange(orgId, userId);
}

/** Notifies of a danger to the installation; does nothing before setup. */
function notifyOfDanger(input: Omit<NotificationInput, "event" | "organisationId" | "link">): void {
  const organisationId = installationOrgId();
  if (organisationId === undefined) return;
  transaction((tx) => notify(tx, { ...input, event: "security", organisationId, link: "/audit" }));
}

/** Reports repeated failed sign-ins hourly per account. @returns a stop function */
export function reportExcessSignIns(): () => void {
  return onExcessAttempt(({ account, address }) =>
    notifyOfDanger({
      audience: { permission: "settings.manage" },
      title: "Repeated failed sign-ins",
      body: `${account ? `Account: ${account.email}` : "The account doesn't exist."}\nAddress: ${address}`,
      dedupeKey: `sign-in:${account?.id ?? "unknown"}:${Math.floor(now() / HOUR)}`,
    }),
  );
}

/** Tells members whose second factor an admin removed. @returns a stop function */
export function reportRemovedFactors(): () => void {
  return onSecondFactorRemoved((tx, { id, orgId }) =>
    notify(tx, {
      event: "security",
      organisationId: orgId,
      audience: { permission: "screens.read", userIds: [id] },
      title: "An admin removed your second factor",
      body: "Your password alone signs you in. Set up an authenticator app or a passkey again in your profile.",
      link: "/settings/profile#authenticator",
      dedupeKey: `second-factor:${id}:${now()}`,
      isPrivate: true,
    }),
  );
}

/** Tells who reads the whole audit log that it is broken, once a day for each fault. */
export function notifyFault(fault: string, message: string): void {
  notifyOfDanger({
    audience: { permission: "audit.all" },
    title: "The audit log is broken",
    body: message,
    dedupeKey: `audit:${fault}:${Math.floor(now() / DAY)}`,
  });
}

/** The setting that switches a channel on. */
const SWITCHES = {
  email: "enableEmail",
  slack: "enableSlack",
  webhook: "enableWebhooks",
  push: "enablePush",
} as const satisfies Record<Channel, string>;

export function isChannelOn(orgId: string, channel: Channel): boolean {
  return readSettings(orgId, "notifications")[SWITCHES[channel]];
}

function isEventShared(orgId: string, channel: SharedChannel, event: NotificationEvent): boolean {
  const { slackEvents, webhookEvents } = readSettings(orgId, "notifications");
  return (channel === "slack" ? slackEvents : webhookEvents).includes(event);
}
