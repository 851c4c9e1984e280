import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { DAY, HOUR } from "~/core/durations";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import type { Permission } from "~/platform/catalogue/permissions";
import { publish } from "~/platform/events/events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import {
  type Channel,
  eventFacts,
  type NotificationEvent,
  type PersonalChannel,
  SHARED_CHANNELS,
} from "~/platform/settings/events.shared";
import { installationOrgId } from "~/platform/settings/read-settings.service.server";
import { listRecipients, type Recipient } from "~/team/members/recipients.service.server";
import { onExcessAttempt } from "../members/sign-in.service.server";
import { isChannelOn, isEventShared } from "./channel-switches.server";
import { listChoices, type NotificationChoices } from "./choices.repo.server";
import { hasRecentDelivery, insertDelivery } from "./deliveries.repo.server";
import { deliverJob } from "./notifications.jobs.server";
import { insertNotification, markEventRead, replaceRecentTexts } from "./notifications.repo.server";
import { listSubscriptionIds } from "./subscriptions.repo.server";

export interface NotificationInput {
  event: NotificationEvent;
  organisationId: string;
  /** Active members with the permission, limited to `userIds` if given. */
  audience: { permission: Permission; userIds?: readonly string[] };
  /** Such as "Nightly report failed". */
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

const cut = (text: string, max: number) => (text.length > max ? `${clip(text, max - 1).trimEnd()}…` : text);

/** The person's choice or the default. */
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
    title: cut(input.title.replace(/\s+/g, " ").trim(), MAX_TITLE),
    body: cut(input.body?.trim() ?? "", MAX_BODY),
    link,
    permission: audience.permission,
    dedupeKey,
    createdAt: at,
  };
  const send = (channel: Channel, target: string, userId: string | null) => {
    const id = newId("dlv");
    if (!insertDelivery(tx, { ...message, id, channel, target, userId, state: "queued" })) return;
    enqueue(tx, deliverJob, { deliveryId: id }, { orgId, owner: userId ?? orgId, subject: `delivery:${id}` });
  };
  const sendPersonal = (channel: PersonalChannel, { id: userId }: Recipient) => {
    if (channel === "email") send(channel, userId, userId);
    else for (const subscription of listSubscriptionIds(tx, userId)) send(channel, subscription, userId);
  };

  const recipients = listRecipients(tx, orgId, audience);
  const userIds = recipients.map(({ id }) => id);
  if (input.throttle) {
    const { subject, ms } = input.throttle;
    const recent = { userIds, orgId, event, subject, since: at - ms };
    const holders = replaceRecentTexts(tx, recent, { title: message.title, body: message.body, link });
    for (const userId of holders) announceChange(orgId, userId);
    if (holders.length > 0 || hasRecentDelivery(tx, recent)) return;
  }
  const choices = listChoices(tx, userIds);
  for (const recipient of recipients) {
    const userId = recipient.id;
    if (!insertNotification(tx, { ...message, id: newId("ntf"), userId, readAt: null })) continue;
    announceChange(orgId, userId);
    const chosen = chosenChannels(choices.get(userId), event);
    for (const channel of ["email", "push"] as const)
      if (chosen.includes(channel) && isChannelOn(orgId, channel)) sendPersonal(channel, recipient);
  }
  if (input.isPrivate) return;
  for (const channel of SHARED_CHANNELS)
    if (isChannelOn(orgId, channel) && isEventShared(orgId, channel, event)) send(channel, "", null);
}

/** Marks an event's notifications as read, within the transaction. */
export function markEventNotificationsRead(
  tx: Db,
  {
    event,
    organisationId: orgId,
    audience,
    dedupeKey,
  }: Pick<NotificationInput, "event" | "organisationId" | "audience" | "dedupeKey">,
): void {
  for (const { id: userId } of listRecipients(tx, orgId, audience))
    if (markEventRead(tx, { userId, event, dedupeKey }, now())) announceChange(orgId, userId);
}

/** Reports repeated failed sign-ins hourly per account. @returns a stop function */
export function reportExcessSignIns(): () => void {
  return onExcessAttempt(({ account, address }) => {
    const organisationId = installationOrgId();
    if (organisationId === undefined) return;
    transaction((tx) =>
      notify(tx, {
        event: "security",
        organisationId,
        audience: { permission: "settings.manage" },
        title: "Repeated failed sign-ins",
        body: `${account ? `Account: ${account.email}` : "The account doesn't exist."}\nAddress: ${address}`,
        link: "/audit",
        dedupeKey: `sign-in:${account?.id ?? "unknown"}:${Math.floor(now() / HOUR)}`,
      }),
    );
  });
}

/** Tells who reads the whole audit log that it is broken, once a day for each fault. */
export function notifyFault(fault: string, message: string): void {
  const orgId = installationOrgId();
  if (orgId === undefined) return;
  transaction((tx) =>
    notify(tx, {
      event: "security",
      organisationId: orgId,
      audience: { permission: "audit.all" },
      title: "The audit log is broken",
      body: message,
      link: "/audit",
      dedupeKey: `audit:${fault}:${Math.floor(now() / DAY)}`,
    }),
  );
}
