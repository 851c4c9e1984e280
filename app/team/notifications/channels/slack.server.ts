import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/settings.service.server";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import { type ChannelSender, findSecretProblem, isInterrupted, post } from "./channel.server";

const referenceOf = (orgId: string) => readSetting(orgId, "notifications.slackReference");

function readAddress(orgId: string): string {
  const name = referenceOf(orgId);
  const value = readNamedSecret(name);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new AppError(
      "provider_key",
      `The environment variable ${name} is not the address of a Slack webhook.`,
    );
  return url.href;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escapeText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const slack: ChannelSender = {
  label: "Slack",
  findProblem: (orgId) => findSecretProblem(() => readAddress(orgId)),
  isDeliveryUncertain: (error) =>
    isInterrupted(error) || (error instanceof AppError && error.code === "provider_timeout"),
  async send({ orgId, title, body, link }, _target, signal) {
    const lines = [`*${escapeText(title)}*`, escapeText(body), `<${link}|Open>`];
    await post({
      label: "Slack",
      purpose: "notification:slack",
      url: readAddress(orgId),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: lines.filter(Boolean).join("\n") }),
      isNamed: true,
      signal,
    });
  },
};
