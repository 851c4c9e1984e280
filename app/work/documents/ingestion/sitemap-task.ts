import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { SaxesParser } from "saxes";
import { z } from "zod";
import { AppError } from "~/core/errors";

/** The protocol's limit (https://www.sitemaps.org/protocol.html). */
export const MAX_SITEMAP_BYTES = 50_000_000;
/** A location is at depth three. */
const MAX_DEPTH = 50;
/** URL length, in characters. */
const MAX_LOCATION = 4000;
const CHUNK_BYTES = 65_536;

export const SitemapTask = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  host: z.string(),
  limit: z.number().int(),
});
export type SitemapTask = z.infer<typeof SitemapTask>;

export const ParsedSitemap = z.object({
  kind: z.enum(["urlset", "sitemapindex"]),
  locations: z.array(z.string()),
});
export type ParsedSitemap = z.infer<typeof ParsedSitemap>;

const unprocessable = (message: string, cause?: unknown) => new AppError("unprocessable", message, { cause });

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function* unpack({ bytes, host }: SitemapTask): AsyncGenerator<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return yield* chunksOf(bytes);
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  unpacked.end(bytes);
  let size = 0;
  try {
    for await (const piece of unpacked as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > MAX_SITEMAP_BYTES) {
        throw new AppError(
          "too_large",
          `The sitemap of ${host} unpacks to more than 50 MB. Add smaller sitemaps one by one.`,
        );
      }
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unprocessable(`The sitemap of ${host} can't be unpacked. Check that it is a gzip file.`, cause);
  }
}

export async function parseSitemap(task: SitemapTask): Promise<ParsedSitemap> {
  const { host, limit } = task;
  const parser = new SaxesParser();
  const locations: string[] = [];
  let kind: ParsedSitemap["kind"] | undefined;
  const path: string[] = [];
  let text = "";
  const local = (name: string) => name.slice(name.indexOf(":") + 1).toLowerCase();
  const add = (piece: string) => {
    // One character beyond the limit marks an overlong URL.
    if (text.length <= MAX_LOCATION) text += piece.slice(0, MAX_LOCATION + 1);
  };
  parser.on("error", (cause) => {
    throw unprocessable(`The sitemap of ${host} is not well-formed XML.`, cause);
  });
  parser.on("opentag", ({ name }) => {
    if (path.length >= MAX_DEPTH) throw unprocessable(`The sitemap of ${host} is nested too deeply.`);
    path.push(local(name));
    text = "";
    const root = path[0];
    if (path.length === 1 && (root === "urlset" || root === "sitemapindex")) kind = root;
  });
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", () => {
    // Image and language extensions nest their own locations.
    const isPageLocation =
      path.length === 3 && path[2] === "loc" && (path[1] === "url" || path[1] === "sitemap");
    if (isPageLocation && kind && locations.length < limit && text.length <= MAX_LOCATION)
      locations.push(text.trim());
    path.pop();
    text = "";
  });
  const decoder = new StringDecoder("utf8");
  // saxes doesn't expand entities.
  for await (const piece of unpack(task)) {
    parser.write(decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length)));
    if (kind && locations.length >= limit) return { kind, locations };
    if (path.length > 0 && !kind) break;
  }
  if (kind || path.length === 0) parser.close();
  if (!kind) throw unprocessable(`The response from ${host} is not a sitemap. Check the address.`);
  return { kind, locations };
}
