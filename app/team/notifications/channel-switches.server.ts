import type { Channel, NotificationEvent, SharedChannel } from "~/platform/settings/events.shared";
import { readSettings } from "~/platform/settings/read-settings.service.server";

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

const EVENTS = { slack: "slackEvents", webhook: "webhookEvents" } as const satisfies Record<
  SharedChannel,
  string
>;

export function isEventShared(orgId: string, channel: SharedChannel, event: NotificationEvent): boolean {
  return readSettings(orgId, "notifications")[EVENTS[channel]].includes(event);
}
