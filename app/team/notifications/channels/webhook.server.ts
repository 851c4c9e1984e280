import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { SIGNATURE_HEADER, signPayload, TIMESTAMP_HEADER } from "~/core/webhook-signature.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import type { ChannelSender } from "./channel";
import { findSecretProblem } from "./channel";
import { post } from "./post.server";

interface SignedPost {
  label: string;
  purpose: string;
  url: string;
  /** Environment variable of the secret. */
  secretName: string;
  id: string;
  payload: object;
}

/** Signed as notifications are. @throws AppError; the signal's reason */
async function postSigned(
  { label, purpose, url, secretName, id, payload }: SignedPost,
  signal: AbortSignal,
): Promise<void> {
  const secret = readNamedSecret(secretName);
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(now() / 1000));
  await post({
    label,
    purpose,
    url,
    headers: {
      "content-type": "application/json",
      "idempotency-key": id,
      [TIMESTAMP_HEADER]: timestamp,
      [SIGNATURE_HEADER]: signPayload(secret, timestamp, Buffer.from(body)),
    },
    body,
    isNamed: true,
    signal,
  });
}

function readTarget(orgId: string): { url: string; secretName: string } {
  const { webhookUrl, webhookReference } = readSettings(orgId, "notifications");
  if (!webhookUrl) throw new AppError("conflict", "Enter the webhook address.");
  return { url: webhookUrl, secretName: webhookReference };
}

export const webhook: ChannelSender = {
  label: "Webhooks",
  findProblem: (orgId) => findSecretProblem(() => readNamedSecret(readTarget(orgId).secretName)),
  async send({ id, orgId, event, title, body, link, createdAt }, _target, signal) {
    const at = new Date(createdAt).toISOString();
    const payload = { id, event, title, body, link, createdAt: at };
    const call = { label: "The webhook", purpose: "notification:webhook", id, payload };
    await postSigned({ ...call, ...readTarget(orgId) }, signal);
  },
};
