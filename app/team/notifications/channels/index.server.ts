import type { Channel } from "~/platform/settings/events.shared";
import type { ChannelSender } from "./channel";
import { email } from "./email.server";
import { push } from "./push.server";
import { slack } from "./slack.server";
import { webhook } from "./webhook.server";

export const channels: Readonly<Record<Channel, ChannelSender>> = { email, slack, webhook, push };
