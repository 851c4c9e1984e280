import { createECDH, createHash } from "node:crypto";
import { withBase } from "~/core/base-path";
import { env, publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { secret } from "~/core/secrets.server";
import { brandIcon } from "~/team/branding/brand.shared";
import { readBranding } from "~/team/branding/branding.service.server";
import { type ChannelSender, post } from "./channel.server";

/** Retention of a message at the push service, in seconds. */
const TTL = 24 * 60 * 60;
export const UNSUBSCRIBED = "gone";

/** Replaces queued messages of the topic; up to 32 characters of base64url (RFC 8030, 5.4). */
const topicOf = (id: string) => createHash("sha256").update(id).digest("base64url").slice(0, 32);

export const push: ChannelSender = {
  label: "Push",
  findProblem: () => undefined,
  async send({ id, title, body, link }, { subscription }, signal) {
    if (!subscription) throw new AppError(UNSUBSCRIBED, "The browser is no longer subscribed.");
    const { endpoint, p256dh, auth } = subscription;
    const { generateRequestDetails } = (await import("web-push")).default;
    const details = generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify({ id, title, body, link, icon: withBase(brandIcon(readBranding())) }),
      { TTL, topic: topicOf(id), vapidDetails: vapidDetails() },
    );
    await post(
      {
        label: "The push service",
        purpose: "notification:push",
        url: endpoint,
        headers: Object.fromEntries(
          Object.entries(details.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: new Uint8Array(details.body),
        // Chosen by a browser: must be public.
        isNamed: false,
        signal,
      },
      (status) =>
        status === 404 || status === 410
          ? new AppError(UNSUBSCRIBED, "The browser is no longer subscribed.")
          : undefined,
    );
  },
};

/** Key pair (RFC 8292). */
function keyPair() {
  const bytes = Buffer.from(secret("push.key"), "base64");
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(bytes);
  return { privateKey: bytes.toString("base64url"), publicKey: curve.getPublicKey("base64url") };
}

/** Key for the subscription of a browser. */
export const pushPublicKey = (): string => keyPair().publicKey;

/** Push services may contact the subject about problems. */
function vapidDetails() {
  const address = new URL(publicUrl());
  const sender = env().SMTP_FROM ?? `no-reply@${address.hostname}`;
  const subject = address.protocol === "https:" ? address.origin : `mailto:${sender}`;
  const { publicKey, privateKey } = keyPair();
  return { subject, publicKey, privateKey };
}
