import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { publicAddress } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { authorise, type Permission } from "~/platform/rights/authorization.server";
import {
  CHANNELS,
  type Channel,
  eventLabel,
  type NotificationEvent,
} from "~/platform/settings/events.shared";
import { readSettings } from "~/platform/settings/settings.service.server";
import { keysOfVariable } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { listRecipients } from "~/team/members/member.service.server";
import { nameOf } from "~/team/members/member-names.service.server";
import type { ChannelSender, ChannelTarget, OutgoingMessage } from "./channels/channel.server";
import { email } from "./channels/email.server";
import { push, UNSUBSCRIBED } from "./channels/push.server";
import { slack } from "./channels/slack.server";
import { webhook } from "./channels/webhook.server";
import {
  type DeliveryRow,
  deleteSubscription,
  findDelivery,
  findSubscription,
  listDeliveryRows,
  listSubscriptions,
  updateDelivery,
} from "./notifications.repo.server";
import type { ChannelState, Delivery } from "./notifications.schema";
import { isChannelOn } from "./notify.service.server";

const channels: Readonly<Record<Channel, ChannelSender>> = { email, slack, webhook, push };

const SHOWN = 20;
const TEST_TIMEOUT = 45_000;

function findTarget({ orgId, channel, target, userId, permission }: DeliveryRow): ChannelTarget | string {
  if (!isChannelOn(orgId, channel)) return "The channel was turned off.";
  if (userId === null) return {};
  const audience = { permission: permission as Permission, userIds: [userId] };
  const [person] = listRecipients(db(), orgId, audience);
  if (!person) return "The person no longer has access.";
  if (channel === "email") return { email: person.email };
  const subscription = findSubscription(db(), target);
  // Another person may have signed in at the browser since.
  return subscription?.userId === userId ? { subscription } : "The browser is no longer subscribed.";
}

function toMessage({ id, orgId, event, title, body, link, createdAt }: DeliveryRow): OutgoingMessage {
  const address = publicAddress(link);
  return { id, orgId, event: event as NotificationEvent, title, body, link: address, createdAt };
}

const update = (id: string, change: Parameters<typeof updateDelivery>[2]) =>
  transaction((tx) => void updateDelivery(tx, id, change));

const unknownResult = (why: string) =>
  new AppError("conflict", `${why} It may have arrived, so it isn't sent again.`, { permanent: true });

/** An unknown result is final unless receivers deduplicate. @throws AppError; the signal's reason */
export async function deliver(id: string, signal: AbortSignal): Promise<void> {
  const row = findDelivery(db(), id);
  if (!row || row.state === "sent" || row.state === "skipped") return;
  const { send, isDeliveryUncertain } = channels[row.channel];
  const target = findTarget(row);
  if (typeof target === "string") return update(id, { state: "skipped", error: target, finishedAt: now() });
  if (row.state === "sending" && isDeliveryUncertain)
    throw unknownResult("The console stopped while it was being sent.");
  update(id, { state: "sending", attempts: row.attempts + 1 });
  try {
    await send(toMessage(row), target, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && error.code === UNSUBSCRIBED && row.userId) {
      const { userId } = row;
      transaction((tx) => deleteSubscription(tx, userId, row.target));
      return update(id, { state: "skipped", error: error.message, finishedAt: now() });
    }
    if (isDeliveryUncertain?.(error))
      throw unknownResult(error instanceof Error ? error.message : "It failed.");
    update(id, { state: "queued" });
    throw error;
  }
  update(id, { state: "sent", error: null, finishedAt: now() });
}

export function listChannels(actor: Actor): ChannelState[] {
  authorise(actor, "settings.manage");
  return CHANNELS.map((channel) => ({
    channel,
    label: channels[channel].label,
    isOn: isChannelOn(actor.orgId, channel),
    problem: channels[channel].findProblem(actor.orgId) ?? null,
  }));
}

/** Without texts, which may be private. */
export function listDeliveries(actor: Actor): Delivery[] {
  authorise(actor, "settings.manage");
  return listDeliveryRows(db(), actor.orgId, SHOWN).map(
    ({ id, channel, event, userId, state, attempts, error, createdAt }) => ({
      id,
      channel,
      event,
      label: eventLabel(event),
      recipient: userId && nameOf(actor.orgId, userId),
      state,
      attempts,
      error,
      createdAt: new Date(createdAt).toISOString(),
    }),
  );
}

function testTargets(actor: Actor, channel: Channel): ChannelTarget[] {
  if (channel === "slack" || channel === "webhook") return [{}];
  if (channel === "push")
    return listSubscriptions(db(), actor.userId).map((subscription) => ({ subscription }));
  const audience = { permission: "settings.manage" as const, userIds: [actor.userId] };
  return listRecipients(db(), actor.orgId, audience).map(({ email }) => ({ email }));
}

export async function testChannel(actor: Actor, channel: Channel): Promise<void> {
  authorise(actor, "settings.manage");
  const targets = testTargets(actor, channel);
  if (targets.length === 0)
    throw new AppError("conflict", "Enable push in this browser first, under Settings › Profile.");
  const message: OutgoingMessage = {
    id: newId("dlv"),
    orgId: actor.orgId,
    event: "test",
    title: "Test notification",
    body: "Notifications over this channel work.",
    link: publicAddress("/notifications"),
    createdAt: now(),
  };
  const signal = AbortSignal.timeout(TEST_TIMEOUT);
  for (const target of targets) await channels[channel].send(message, target, signal);
}

/** Variables named by the Slack and webhook channels. */
export function notificationKeyUses(orgId: string): KeyUse[] {
  const { slackReference, webhookReference } = readSettings(orgId, "notifications");
  const channels = [
    { name: "Slack", variable: slackReference },
    { name: "Webhooks", variable: webhookReference },
  ];
  return channels.flatMap(({ name, variable }) =>
    keysOfVariable(orgId, variable).map((keyId) => ({
      keyId,
      kind: "Notifications",
      name,
      to: "/settings/advanced#notifications",
    })),
  );
}
