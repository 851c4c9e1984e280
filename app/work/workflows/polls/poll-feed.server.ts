import { z } from "zod";
import { isoTime } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { hashSecret } from "~/core/ids.server";
import type { FeedItem } from "~/core/parse-feed";
import type { feed } from "../triggers/polled.triggers.server";
import { type PollContext, type Polled, readInbound } from "./inbound.server";

/** In bytes. */
const MAX_BYTES = 5_000_000;
const MAX_ITEMS = 500;
/** Entries that are known by their hash; those of the feed come first, so that none of them is forgotten. */
const MAX_SEEN = 1000;
const HASH_LENGTH = 22;

const FeedState = z.object({
  seen: z.array(z.string()),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
});
type FeedState = z.infer<typeof FeedState>;

const ACCEPTED =
  "application/atom+xml,application/rss+xml,application/feed+json,application/xml;q=0.9,*/*;q=0.5";

/** The server's own name of a version, if it can be sent back. */
const validator = (value: string | null) =>
  value && value.length <= 300 && /^[\x20-\x7e]+$/.test(value) ? value : undefined;

function refusal(response: Response): AppError {
  const { host } = new URL(response.url);
  const seconds = Number(response.headers.get("retry-after"));
  const why = response.status === 410 ? ": the feed is gone" : "";
  return new AppError("provider_unavailable", `${host} returned HTTP ${response.status}${why}.`, {
    ...(seconds > 0 ? { retryAfter: seconds } : {}),
  });
}

const keyOf = ({ id, link, title, published }: FeedItem) =>
  hashSecret(id || link || `${title}\n${published}`).slice(0, HASH_LENGTH);

const timeOf = ({ published }: FeedItem): number => Date.parse(published);

/** Oldest first: by their dates if all have one, else against the order of the feed. */
function inOrder(items: readonly FeedItem[]): FeedItem[] {
  const reversed = items.toReversed();
  return items.every((item) => Number.isFinite(timeOf(item)))
    ? reversed.sort((one, other) => timeOf(one) - timeOf(other))
    : reversed;
}

/** @throws AppError with why the feed can't be read */
export async function* pollFeed(
  { url, first }: z.infer<typeof feed.config>,
  stored: unknown,
  { limit, signal }: PollContext,
): AsyncGenerator<Polled> {
  const state = FeedState.safeParse(stored).data;
  const fetch = guardedFetch("workflow", { timeoutMs: 30_000, maxBytes: MAX_BYTES });
  const response = await fetch(url, {
    headers: {
      accept: ACCEPTED,
      ...(state?.etag ? { "if-none-match": state.etag } : {}),
      ...(state?.lastModified ? { "if-modified-since": state.lastModified } : {}),
    },
    signal,
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (state && response.status === 304) return;
  if (!response.ok) throw refusal(response);
  const contentType = response.headers.get("content-type") ?? "";
  const { title, items } = await readInbound({ kind: "feed", bytes, contentType, limit: MAX_ITEMS }, signal);
  const seen = new Set(state?.seen);
  const keyed = new Map(inOrder(items).map((item) => [keyOf(item), item]));
  const fresh = [...keyed].filter(([key]) => !seen.has(key));
  const newest = first === "newest" ? fresh.slice(-1) : [];
  const wanted = state ? fresh : newest;
  for (const [key, item] of wanted.slice(0, limit)) {
    const at = timeOf(item);
    const published = Number.isFinite(at) ? isoTime(at) : item.published;
    yield { start: { key, payload: { item: { ...item, published }, feed: { title, url } } } };
  }
  const left = new Set(wanted.slice(limit).map(([key]) => key));
  const known = [...keyed.keys()].filter((key) => !left.has(key));
  const next: FeedState = { seen: [...new Set([...known, ...seen])].slice(0, MAX_SEEN) };
  // What is left for the next check must be sent again then.
  const { headers } = left.size === 0 ? response : new Response();
  const [etag, lastModified] = [validator(headers.get("etag")), validator(headers.get("last-modified"))];
  yield { state: { ...next, ...(etag && { etag }), ...(lastModified && { lastModified }) } };
}
