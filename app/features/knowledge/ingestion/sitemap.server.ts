import { gunzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { MAX_BATCH_URLS } from "../batches.schema";
import { WebAddress } from "../ingest.schema";

/** Of one sitemap, in bytes, packed or not: the protocol's own limit (https://www.sitemaps.org/protocol.html). */
const MAX_BYTES = 50_000_000;
const TIMEOUT = 60_000;
const SILENCE = 15_000;
/** Sitemaps that an index may lead to. */
const MAX_SITEMAPS = 50;

interface Listed {
  kind: "urlset" | "sitemapindex";
  /** In their order. */
  locations: string[];
}

/** Reads the addresses that a sitemap lists, as far as they are needed. @throws AppError for what isn't one */
export function parseSitemap(xml: string, host: string, limit: number): Listed {
  const parser = new SaxesParser();
  const locations: string[] = [];
  let kind: Listed["kind"] | undefined;
  const path: string[] = [];
  let text = "";
  const local = (name: string) => name.slice(name.indexOf(":") + 1).toLowerCase();
  parser.on("error", (cause) => {
    throw new AppError("unprocessable", `What ${host} calls a sitemap is not well-formed XML.`, { cause });
  });
  parser.on("opentag", ({ name }) => {
    path.push(local(name));
    text = "";
    const root = path[0];
    if (path.length === 1 && (root === "urlset" || root === "sitemapindex")) kind = root;
  });
  parser.on("text", (piece) => {
    text += piece;
  });
  parser.on("cdata", (piece) => {
    text += piece;
  });
  parser.on("closetag", () => {
    // Images and other languages have a loc or a link of their own, deeper down.
    const own = path.length === 3 && path[2] === "loc" && (path[1] === "url" || path[1] === "sitemap");
    if (own && kind && locations.length < limit) locations.push(text.trim());
    path.pop();
    text = "";
  });
  // A newline in the middle of an entity matters to nobody; a document type with entities isn't expanded by saxes.
  parser.write(xml).close();
  if (!kind) throw new AppError("unprocessable", `${host} answered with something that is not a sitemap.`);
  return { kind, locations };
}

async function download(address: string, signal: AbortSignal): Promise<string> {
  const fetch = guardedFetch("ingestion:sitemap", {
    timeoutMs: TIMEOUT,
    silenceMs: SILENCE,
    maxBytes: MAX_BYTES,
  });
  const response = await fetch(address, {
    signal,
    headers: { accept: "application/xml,text/xml,*/*;q=0.5" },
  });
  const { host } = new URL(response.url);
  if (!response.ok) {
    await response.body?.cancel();
    const later = response.status === 429 || response.status >= 500;
    const status = `${response.status} ${response.statusText.slice(0, 100)}`.trim();
    throw new AppError(later ? "provider_unavailable" : "unprocessable", `${host} answered ${status}.`);
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    return (packed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString("utf8");
  } catch (cause) {
    const large = cause instanceof RangeError;
    const message = large ? "is larger than 50 MB when unpacked" : "can't be unpacked";
    throw new AppError(large ? "too_large" : "unprocessable", `The sitemap of ${host} ${message}.`, {
      cause,
    });
  }
}

/** Those of the addresses that lie on the sitemap's own site, each once. */
function ownAddresses(locations: readonly string[], origin: string): string[] {
  const found = locations.flatMap((location) => {
    const parsed = WebAddress.safeParse(location);
    return parsed.success && new URL(parsed.data).origin === origin ? [parsed.data] : [];
  });
  return [...new Set(found)];
}

/**
 * The addresses of a sitemap, or of those that a sitemap index lists, at most `MAX_BATCH_URLS`: on the same site only,
 * since a site speaks for itself alone.
 *
 * @throws AppError in a person's words
 */
export async function readSitemap(address: string, signal: AbortSignal): Promise<string[]> {
  const { origin, host } = new URL(address);
  const first = parseSitemap(await download(address, signal), host, MAX_BATCH_URLS);
  let found = ownAddresses(first.locations, origin);
  if (first.kind === "sitemapindex") {
    const pages = new Set<string>();
    for (const sitemap of found.slice(0, MAX_SITEMAPS)) {
      if (pages.size >= MAX_BATCH_URLS) break;
      const { kind, locations } = parseSitemap(await download(sitemap, signal), host, MAX_BATCH_URLS);
      // An index in an index isn't followed.
      if (kind === "urlset") for (const page of ownAddresses(locations, origin)) pages.add(page);
    }
    found = [...pages];
  }
  if (found.length === 0)
    throw new AppError("unprocessable", `The sitemap of ${host} lists no page of its own site.`);
  return found.slice(0, MAX_BATCH_URLS);
}
