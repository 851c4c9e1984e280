import { createHmac } from "node:crypto";
import { dataDir, env } from "./env.server";
import { sameSecret } from "./ids.server";
import { secretFile } from "./secret-files.server";

let generated: { folder: string; value: string } | undefined;

/** `SESSION_SECRET`, or a secret generated into the data folder. */
export function sessionSecret(): string {
  const configured = env().SESSION_SECRET;
  if (configured) return configured;
  const folder = dataDir();
  if (generated?.folder !== folder) generated = { folder, value: secretFile(folder, "session.secret") };
  return generated.value;
}

/** HMAC of a text, in base64url. */
export function macOf(value: string): string {
  return createHmac("sha256", sessionSecret()).update(value).digest("base64url");
}

/** Signs a text so that `unsign` detects changes. It is not encrypted. */
export function sign(value: string): string {
  const encoded = Buffer.from(value).toString("base64url");
  return `${encoded}.${macOf(encoded)}`;
}

export function unsign(signed: string): string | undefined {
  const [encoded, mac] = signed.split(".");
  if (!encoded || !mac || !sameSecret(mac, macOf(encoded))) return undefined;
  return Buffer.from(encoded, "base64url").toString("utf8");
}
