import { withDeadline } from "~/core/abort";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { IDLE_TIMEOUT, TIMEOUT, toResponseError } from "./fetch-address.server";
import { MAX_BATCH_URLS, WebAddress } from "./ingest.schema";
import { MAX_SITEMAP_BYTES, ParsedSitemap, type SitemapTask } from "./sitemap-task";

const MAX_SITEMAPS = 50;
/** Time limit of all sitemaps of one request (ms), since others wait for it. */
const TOTAL_TIMEOUT = 180_000;

/** Up to 50 MB of untrusted input. */
const pool = new WorkerPool<SitemapTask, ParsedSitemap>({
  name: "sitemap",
  entry: bundledWorker("sitemap"),
  output: ParsedSitemap,
  size: 1,
  timeoutMs: 20_000,
  maxHeapMb: 256,
});

async function readOne(address: string, signal: AbortSignal): Promise<ParsedSitemap> {
  const fetch = guardedFetch("ingestion:sitemap", {
    timeoutMs: TIMEOUT,
    silenceMs: IDLE_TIMEOUT,
    maxBytes: MAX_SITEMAP_BYTES,
  });
  const response = await fetch(address, {
    signal,
    headers: { accept: "application/xml,text/xml,*/*;q=0.5" },
  });
  const { host } = new URL(response.url);
  if (!response.ok) {
    await response.body?.cancel();
    throw toResponseError(host, response);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  return pool.run({ bytes, host, limit: MAX_BATCH_URLS }, signal);
}

function sameSiteUrls(locations: readonly string[], origin: string): string[] {
  const urls = locations.flatMap((location) => {
    const parsed = WebAddress.safeParse(location);
    return parsed.success && new URL(parsed.data).origin === origin ? [parsed.data] : [];
  });
  return [...new Set(urls)];
}

/**
 * URLs of a sitemap or sitemap index, up to `MAX_BATCH_URLS`, from the same site only.
 * @throws AppError with a user-facing message
 */
export async function readSitemap(
  address: string,
  signal: AbortSignal,
  totalMs = TOTAL_TIMEOUT,
): Promise<string[]> {
  const { origin, host } = new URL(address);
  const timeoutError = () =>
    new AppError(
      "unprocessable",
      `The sitemaps of ${host} took longer than ${Math.round(totalMs / 1000)} seconds in total. Add them one by one.`,
    );
  return withDeadline({ ms: totalMs, timeoutError, signal }, async (ending) => {
    const first = await readOne(address, ending);
    let urls = sameSiteUrls(first.locations, origin);
    if (first.kind === "sitemapindex") {
      const pages = new Set<string>();
      for (const sitemap of urls.slice(0, MAX_SITEMAPS)) {
        if (pages.size >= MAX_BATCH_URLS) break;
        const { kind, locations } = await readOne(sitemap, ending);
        // Nested indexes aren't followed.
        if (kind === "urlset") for (const page of sameSiteUrls(locations, origin)) pages.add(page);
      }
      urls = [...pages];
    }
    if (urls.length === 0)
      throw new AppError(
        "unprocessable",
        `The sitemap of ${host} lists no pages of its own site. Check the address.`,
      );
    return urls.slice(0, MAX_BATCH_URLS);
  });
}
