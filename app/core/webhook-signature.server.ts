import { createHmac, timingSafeEqual } from "node:crypto";

/** Unix time of the call, in seconds. */
export const TIMESTAMP_HEADER = "x-webhook-timestamp";
/** `sha256=` and the HMAC-SHA256 in hex, over the timestamp, a dot and the raw body; several are separated by commas. */
export const SIGNATURE_HEADER = "x-webhook-signature";
/** Allowed clock difference, in seconds. */
export const REPLAY_WINDOW = 300;

const MAX_SIGNATURES = 5;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

export function signPayload(secret: string, timestamp: string, rawBody: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex")}`;
}

interface SignedCall {
  secret: string;
  timestamp: string | null;
  signature: string | null;
  rawBody: Uint8Array;
  /** Ms since the epoch. */
  now: number;
}

export type SignatureCheck =
  | { ok: true /** The same for a replay of this call. */; replayId: string }
  | { ok: false; reason: string };

const refused = (reason: string): SignatureCheck => ({ ok: false, reason });

/** Verifies a webhook's signature. The caller must refuse a `replayId` seen within the window. */
export function verifySignature({ secret, timestamp, signature, rawBody, now }: SignedCall): SignatureCheck {
  if (!signature) return refused(`The header ${SIGNATURE_HEADER} is missing.`);
  if (!timestamp) return refused(`The header ${TIMESTAMP_HEADER} is missing.`);
  if (!/^\d{1,12}$/.test(timestamp)) return refused(`The header ${TIMESTAMP_HEADER} is not a Unix time.`);
  if (Math.abs(now / 1000 - Number(timestamp)) > REPLAY_WINDOW)
    return refused(`The timestamp is more than ${REPLAY_WINDOW} seconds off.`);
  const expected = signPayload(secret, timestamp, rawBody);
  const signatures = signature.split(",", MAX_SIGNATURES).map((one) => one.trim().toLowerCase());
  const wellFormed = signatures.filter((one) => SIGNATURE.test(one));
  if (wellFormed.length === 0) return refused(`The header ${SIGNATURE_HEADER} is not sha256=<hex>.`);
  // All are compared, in constant time.
  const matches = wellFormed.filter((one) => timingSafeEqual(Buffer.from(one), Buffer.from(expected)));
  if (matches.length === 0) return refused("The signature doesn't match.");
  return { ok: true, replayId: expected.slice("sha256=".length) };
}
