import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { SIGNATURE_HEADER, signPayload, TIMESTAMP_HEADER } from "~/core/webhook-signature.server";
import { readNamedSecret } from "../../keys/keys.service.server";
import { readSettings } from "../../settings/read-settings.service.server";
import type { ChannelSender } from "./channel";
import { findSecretProblem } from "./find-secret-problem.server";
import { post } from "./post.server";

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
    const payload = JSON.stringify({
      id,
      event,
      title,
      body,
      link,
      createdAt: new Date(createdAt).toISOString(),
    });
    const timestamp = String(Math.floor(now() / 1000));
    await post({
      label: "The webhook",
      purpose: "notification:webhook",
      url,
      headers: {
        "content-type": "application/json",
        "idempotency-key": id,
        [TIMESTAMP_HEADER]: timestamp,
        [SIGNATURE_HEADER]: signPayload(secret, timestamp, Buffer.from(payload)),
      },
      body: payload,
      isNamed: true,
      signal,
    });
  },
};
