import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { signCall } from "~/core/webhook-signature.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import { type ChannelSender, findSecretProblem, post } from "./channel.server";

/** @throws AppError if the address or the secret is missing */
function readTarget(orgId: string): { url: string; secret: string } {
  const { webhookUrl, webhookReference } = readSettings(orgId, "notifications");
  if (!webhookUrl) throw new AppError("conflict", "Enter the webhook address.");
  return { url: webhookUrl, secret: readNamedSecret(webhookReference) };
}

export const webhook: ChannelSender = {
  label: "Webhooks",
  findProblem: (orgId) => findSecretProblem(() => readTarget(orgId)),
  async send({ id, orgId, event, title, body, link, createdAt }, _target, signal) {
    const { url, secret } = readTarget(orgId);
    const at = new Date(createdAt).toISOString();
    const payload = JSON.stringify({ id, event, title, body, link, createdAt: at });
    await post({
      label: "The webhook",
      purpose: "notification:webhook",
      url,
      headers: {
        "content-type": "application/json",
        "idempotency-key": id,
        ...signCall({ secret, id, rawBody: Buffer.from(payload), now: now() }),
      },
      body: payload,
      isNamed: true,
      signal,
    });
  },
};
