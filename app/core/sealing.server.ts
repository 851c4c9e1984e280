import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { dataDir } from "./env.server";
import { secretFile } from "./secret-files.server";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const VERSION = "v1";

/** Stored outside the database, so that a copied database reveals no secrets. */
function key(): Buffer {
  return Buffer.from(hkdfSync("sha256", secretFile(dataDir(), "sealing.key"), "", "sealing v1", KEY_BYTES));
}

/** Encrypts a text for storage in the database (AES-256-GCM). @param purpose must be the same to decrypt */
export function seal(text: string, purpose: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key(), iv).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${sealed.toString("base64url")}`;
}

/** @returns undefined if the key or purpose differs, or the text was changed */
export function unseal(sealed: string, purpose: string): string | undefined {
  const [version, encoded = ""] = sealed.split(".");
  const bytes = Buffer.from(encoded, "base64url");
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
