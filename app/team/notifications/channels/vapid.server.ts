import { createECDH } from "node:crypto";
import { dataDir, env, publicUrl } from "~/core/env.server";
import { secretFile } from "~/core/secrets.server";

const FILE = "push.key";

let cached: { folder: string; publicKey: string; privateKey: string } | undefined;

/** Key pair (RFC 8292) in the data folder, created on first use. */
function keyPair() {
  const folder = dataDir();
  if (cached?.folder !== folder) {
    const privateKey = secretFile(folder, FILE);
    const curve = createECDH("prime256v1");
    curve.setPrivateKey(privateKey, "base64url");
    cached = { folder, privateKey, publicKey: curve.getPublicKey("base64url") };
  }
  return cached;
}

/** Key for the subscription of a browser. */
export const pushPublicKey = (): string => keyPair().publicKey;

/** Push services may contact the subject about problems. */
export function vapidDetails(): { subject: string; publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = keyPair();
  const address = new URL(publicUrl());
  const sender = env().SMTP_FROM ?? `no-reply@${address.hostname}`;
  const subject = address.protocol === "https:" ? address.origin : `mailto:${sender}`;
  return { subject, publicKey, privateKey };
}
