import { readSettings } from "../settings/read-settings.service.server";
import type { Channel } from "./events.schema";

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
