import { EXTRACTED_BYTES } from "~/ai/tools/reading/extraction.schema";
import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { PluginContext } from "../../plugin";
import { readOutsideText } from "../outside-text.server";
import { PageParts, type PageTask } from "./page-task";

/** The product token that a site's robots.txt can name. */
const AGENT = "AIConsoleBot";
const HEADERS = { "user-agent": `Mozilla/5.0 (compatible; ${AGENT}/1.0)` };

const pool = new WorkerPool<PageTask, PageParts>({
  name: "page-parts",
  entry: bundledWorker("page-parts"),
  output: PageParts,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 192,
});

export const takeParts = (task: PageTask, signal: AbortSignal) => pool.run(task, signal);

/** @throws AppError `forbidden` by robots.txt */
async function assertAllowed(url: URL, { fetch, signal, settings }: PluginContext): Promise<void> {
  if (settings.obeyRobots === false) return;
  const response = await fetch(new URL("/robots.txt", url), { headers: HEADERS, signal });
  const robots = response.ok ? await response.text() : "";
  if (!response.ok) await response.body?.cancel();
  // RFC 9309, 2.3.1.4: a server error disallows everything.
  if (response.status >= 500)
    throw new AppError("provider_unavailable", `${url.host} can't serve its robots.txt now.`);
  const path = url.pathname + url.search;
  const isAllowed =
    robots === "" || (await readOutsideText({ kind: "robots", text: robots, agent: AGENT, path }, signal));
  if (isAllowed) return;
  throw new AppError("forbidden", `The robots.txt of ${url.host} doesn't allow reading this page.`);
}

interface Page {
  url: string;
  bytes: Uint8Array;
  contentType: string;
}

/** @throws AppError for an error status */
export async function fetchPage(address: string, context: PluginContext): Promise<Page> {
  await assertAllowed(new URL(address), context);
  const response = await context.fetch(address, { headers: HEADERS, signal: context.signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new AppError(
      "provider_unavailable",
      `${new URL(response.url).host} returned HTTP ${response.status}.`,
    );
  }
  // The redirect's site may disallow it.
  if (new URL(response.url).href !== new URL(address).href) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    await assertAllowed(new URL(response.url), context);
    return { url: response.url, bytes, contentType: response.headers.get("content-type") ?? "" };
  }
  return {
    url: response.url,
    bytes: new Uint8Array(await response.arrayBuffer()),
    contentType: response.headers.get("content-type") ?? "",
  };
}

export function htmlOf({ bytes, contentType }: Page): string {
  return decodeText(bytes.subarray(0, EXTRACTED_BYTES), contentType);
}
