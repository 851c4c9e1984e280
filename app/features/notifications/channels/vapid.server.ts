import { createECDH } from "node:crypto";
import { dataDir, env, publicUrl } from "~/core/env.server";
import { secretFile } from "~/core/secret-files.server";

const FILE = "push.key";

let made: { folder: string; publicKey: string; privateKey: string } | undefined;

/** The installation's key pair for pushes (RFC 8292): 256 random bits in the data folder, made on first use. */
function keyPair() {
  const folder = dataDir();
  if (made?.folder !== folder) {
    const privateKey = secretFile(folder, FILE);
    const curve = createECDH("prime256v1");
    curve.setPrivateKey(privateKey, "base64url");
    made = { folder, privateKey, publicKey: curve.getPublicKey("base64url") };
  }
  return made;
}

/** What a browser subscribes with. */
export const pushPublicKey = (): string => keyPair().publicKey;

/** Signs pushes. Push services may write to the subject about problems. */
export function vapidDetails(): { subject: string; publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = keyPair();
  const address = new URL(publicUrl());
  const sender = env().SMTP_FROM ?? `no-reply@${address.hostname}`;
  const subject = address.protocol === "https:" ? address.origin : `mailto:${sender}`;
  return { subject, publicKey, privateKey };
}
