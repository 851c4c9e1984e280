import { now } from "~/core/clock.server";
import { SIGNATURE_HEADER, signPayload, TIMESTAMP_HEADER } from "~/core/webhook-signature.server";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import { post } from "./channels/post.server";

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
export async function postSigned(
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
