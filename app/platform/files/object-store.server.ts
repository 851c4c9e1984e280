import { webcrypto } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { AwsV4Signer } from "aws4fetch";
import { type EgressResponse, guardedSend } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";

/** Limits of a request: total time and silence, in ms. */
const LIMITS = { timeoutMs: 120_000, silenceMs: 30_000 };
/** Of an answer without a file, in bytes. */
const MAX_ANSWER = 100_000;

export async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes as BufferSource)).toString("hex");
}

/** Objects named by their SHA-256, so that a file is stored once. Each call throws an AppError with a user-facing message. */
export interface ObjectStore {
  /** The folder's address. */
  place: string;
  has(sha: string, signal: AbortSignal): Promise<boolean>;
  put(sha: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** @returns undefined if there is no such object, or another content under its name */
  get(sha: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>;
  remove(sha: string, signal: AbortSignal): Promise<void>;
}

const bytesOf = async (response: EgressResponse): Promise<Buffer> => {
  const stream = response.stream();
  return stream ? buffer(stream) : Buffer.alloc(0);
};

/** Reads an answer to its end, so that its connection is used again. */
async function drain(response: EgressResponse): Promise<EgressResponse> {
  await bytesOf(response);
  return response;
}

/** The storage of FILES_S3, addressed by path and signed with AWS Signature 4; undefined if none is set. */
export function objectStore(): ObjectStore | undefined {
  const { FILES_S3_ENDPOINT, FILES_S3_BUCKET, FILES_S3_REGION: region } = env();
  const { FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = env();
  if (!FILES_S3_ENDPOINT || !FILES_S3_BUCKET || !accessKeyId || !secretAccessKey) return undefined;
  const { origin, host } = new URL(FILES_S3_ENDPOINT);
  const place = `${FILES_S3_ENDPOINT}/${FILES_S3_BUCKET}`;
  const bucket = FILES_S3_BUCKET.replace(/\/.*/, "");

  function refuse(status: number): AppError {
    if (status === 401 || status === 403)
      return new AppError(
        "provider_key",
        `${host} refused the key of the copies (HTTP ${status}). Check FILES_S3_ACCESS_KEY_ID, FILES_S3_SECRET_ACCESS_KEY and FILES_S3_REGION, and that it may list, read, write and delete in ${bucket}.`,
      );
    if (status === 404) return new AppError("not_found", `${host} has no bucket named ${bucket}.`);
    return new AppError("provider_unavailable", `${host} returned HTTP ${status} for the copies of files.`);
  }

  async function send(
    method: "HEAD" | "PUT" | "GET" | "DELETE",
    sha: string,
    signal: AbortSignal,
    { body, maxBytes = MAX_ANSWER }: { body?: Uint8Array; maxBytes?: number } = {},
  ) {
    const { url, headers } = await new AwsV4Signer({
      method,
      url: `${place}/${sha}`,
      headers: { "x-amz-content-sha256": body ? sha : await sha256(new Uint8Array()) },
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
    } as ConstructorParameters<typeof AwsV4Signer>[0]).sign();
    const call = guardedSend("files", { ...LIMITS, maxBytes, maxRedirects: 0, allowOrigins: [origin] });
    return call({ url, method, headers: Object.fromEntries(headers), body }, signal);
  }

  return {
    place,
    async has(sha, signal) {
      const { status } = await send("HEAD", sha, signal);
      if (status === 404) return false;
      if (status !== 200) throw refuse(status);
      return true;
    },
    async put(sha, body, signal) {
      const { status } = await send("PUT", sha, signal, { body }).then(drain);
      if (status !== 200) throw refuse(status);
    },
    async get(sha, maxBytes, signal) {
      const response = await send("GET", sha, signal, { maxBytes: Math.max(maxBytes, MAX_ANSWER) });
      if (response.status !== 200) {
        await drain(response);
        if (response.status === 404) return undefined;
        throw refuse(response.status);
      }
      const bytes = await bytesOf(response);
      return (await sha256(bytes)) === sha ? bytes : undefined;
    },
    async remove(sha, signal) {
      const { status } = await send("DELETE", sha, signal).then(drain);
      if (status >= 300 && status !== 404) throw refuse(status);
    },
  };
}
