import { AwsClient } from "aws4fetch";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { readListing } from "./listing.server";
import { MAX_LISTING_BYTES } from "./listing-task";
import {
  bodyOf,
  configOf,
  type OpenKind,
  REQUEST_LIMITS,
  refuseResponse,
  type SourceEntry,
  secretOf,
  sourceFetch,
} from "./source-kind.server";

const Config = z.object({
  address: z.url(),
  bucket: z.string(),
  prefix: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
});

const PAGE = 1000;

/** Keys come encoded if the server says so: XML has no control characters. */
function decodeKey(key: string, isEncoded: boolean): string {
  if (!isEncoded) return key;
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

/** A bucket of S3-compatible storage, addressed by path, signed with AWS Signature 4 unless it is public. */
export const openS3: OpenKind = (source) => {
  const { address, bucket, prefix, region, accessKeyId } = configOf(Config, source);
  const { origin, pathname } = new URL(address);
  const root = `${origin}${pathname.replace(/\/+$/, "")}/${encodeURIComponent(bucket)}`;
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;

  async function get(url: string, maxBytes: number, signal: AbortSignal): Promise<Response> {
    const fetch = sourceFetch("s3", origin, maxBytes);
    const secretAccessKey = secretOf(source, origin);
    const client = secretAccessKey && new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });
    const signed = client ? await client.sign(url) : new Request(url);
    const response = await fetch(signed, { signal });
    return response.ok ? response : refuseResponse(response, new URL(origin).host);
  }

  return {
    async list({ limit, signal }) {
      const entries: SourceEntry[] = [];
      const asked = new Set<string>();
      for (let token = ""; ; ) {
        const query = new URLSearchParams({
          "list-type": "2",
          "max-keys": String(PAGE),
          "encoding-type": "url",
          prefix: folder,
          ...(token ? { "continuation-token": token } : {}),
        });
        const response = await get(`${root}?${query}`, MAX_LISTING_BYTES, signal);
        const shape = {
          root: "ListBucketResult",
          item: "Contents",
          fields: ["Key", "ETag", "Size", "IsTruncated", "NextContinuationToken", "EncodingType"],
          limit: PAGE * 2,
        };
        const { about, items, isComplete } = await readListing(response, shape, signal);
        for (const { Key = "", ETag = "", Size = "" } of items) {
          const key = decodeKey(Key, about.EncodingType === "url");
          // A key that ends in a slash stands for a folder.
          if (!key.startsWith(folder) || key.endsWith("/") || ETag === "") continue;
          if (entries.length >= limit) return { entries, isComplete: false, cursor: null };
          const size = /^\d{1,15}$/.test(Size) ? Number(Size) : null;
          entries.push({ path: key.slice(folder.length), etag: ETag.slice(0, 200), size, link: null });
        }
        if (about.IsTruncated !== "true") return { entries, isComplete, cursor: null };
        token = about.NextContinuationToken ?? "";
        // A server that repeats itself would be listed for ever.
        if (token === "" || asked.has(token))
          throw new AppError("unprocessable", `${new URL(origin).host} lists the same files again.`);
        asked.add(token);
      }
    },
    async fetch({ path }, signal) {
      const key = `${folder}${path}`.split("/").map(encodeURIComponent).join("/");
      return bodyOf(await get(`${root}/${key}`, REQUEST_LIMITS.maxBytes, signal));
    },
    close: async () => undefined,
  };
};
