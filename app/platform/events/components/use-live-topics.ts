import {
  useActionData,
  useFetchers,
  useLoaderData,
  useNavigation,
  useRevalidator,
  useRouteLoaderData,
} from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { exponentialBackoff } from "~/core/durations";
import type { Topic } from "~/platform/catalogue/topics";
import type { LiveEvent } from "~/platform/events/events.schema";
import { retrySafe, setSignedOut } from "~/ui/connection";

/** Versions of another epoch are newer. */
export function isNewer(version: string, current: string | undefined): boolean {
  if (current === undefined) return false;
  const [epoch, number] = version.split(".");
  const [knownEpoch, knownNumber] = current.split(".");
  return epoch !== knownEpoch || Number(number) > Number(knownNumber);
}

/** Never returns an empty topic, for which the server would refuse the whole stream. */
export const splitTopics = (joined: string): string[] => (joined === "" ? [] : joined.split(","));

/** Least time between two revalidations, in ms. */
const MIN_INTERVAL = 500;

interface LiveTopicsOptions {
  /** The page's only subject; other changes are ignored. */
  id?: string | undefined;
  /** True while a revalidation would lose something, such as a search; it follows later. */
  isPaused?: boolean;
}

/**
 * @returns the version that the route's data has. The root's is of its own load: a route that stays as it is after a form
 * (`shouldRevalidate`) doesn't have what happened until then
 */
function useLoadedVersion(): string | undefined {
  const newest = useRouteLoaderData<{ liveVersion?: string }>("root")?.liveVersion;
  const data: unknown = useLoaderData();
  const [loaded, setLoaded] = useState({ data, version: newest });
  if (loaded.data === data) return loaded.version;
  setLoaded({ data, version: newest });
  return newest;
}

/**
 * Revalidates a page when its topics change. Waits while the page is hidden, loading, submitting or showing form
 * errors, which a revalidation would remove.
 */
export function useLiveTopics(
  topics: readonly Topic[],
  { id, isPaused = false }: LiveTopicsOptions = {},
): void {
  const { revalidate, state: loading } = useRevalidator();
  const navigation = useNavigation();
  const sending = useFetchers().some(({ state }) => state !== "idle");
  const answered = useActionData() !== undefined;
  const loaded = useLoadedVersion();
  const isBusy = isPaused || sending || answered || loading !== "idle" || navigation.state !== "idle";
  const latest = useRef({ loaded, isBusy, revalidate });
  latest.current = { loaded, isBusy, revalidate };
  const live = useRef({ missed: undefined as string | undefined, begun: 0, nextAt: 0, check: () => {} });

  const key = topics.join();
  useEffect(() => {
    const state = live.current;
    let timer: number | undefined;
    const check = () => {
      const { missed } = state;
      if (timer !== undefined || missed === undefined) return;
      if (!isNewer(missed, latest.current.loaded)) {
        state.missed = undefined;
        return;
      }
      if (latest.current.isBusy || document.visibilityState === "hidden") return;
      const wait = state.nextAt - performance.now();
      if (wait > 0) {
        timer = window.setTimeout(() => {
          timer = undefined;
          check();
        }, wait);
        return;
      }
      state.missed = undefined;
      state.begun = performance.now();
      state.nextAt = state.begun + MIN_INTERVAL;
      latest.current.revalidate();
    };
    state.check = check;
    const stop = followTopics(splitTopics(key), (event) => {
      if (id !== undefined && event.id !== undefined && event.id !== id) return;
      if (state.missed === undefined || isNewer(event.version, state.missed)) state.missed = event.version;
      check();
    });
    document.addEventListener("visibilitychange", check);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", check);
      state.check = () => {};
    };
  }, [key, id]);

  useEffect(() => {
    if (loading !== "idle") return;
    const state = live.current;
    // A slow page waits as long as it takes to load.
    const at = performance.now();
    if (state.begun > 0) state.nextAt = Math.max(state.nextAt, at + (at - state.begun));
    state.begun = 0;
  }, [loading]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a missed change may be due whenever one of these changes
  useEffect(() => live.current.check(), [isBusy, loaded]);
}

/** Delay before a refused connection is retried, in ms: the first and the maximum. */
const RETRY = { first: 2000, max: 60_000 };

type Listener = (event: LiveEvent) => void;

const followers = new Map<Listener, readonly string[]>();
/** The newest change of each topic that this document has heard of. */
const heard = new Map<string, string>();
let updating = false;

function deliver(event: LiveEvent): void {
  heard.set(event.topic, event.version);
  for (const [listener, topics] of [...followers]) if (topics.includes(event.topic)) listener(event);
}

async function isSignedOut(): Promise<boolean> {
  const response = await fetch(withBase("/api/auth/user")).catch(() => undefined);
  return response?.status === 401;
}

let followed = "";
let source: EventSource | undefined;
let retry: number | undefined;
let failures = 0;

/**
 * A stream begins with the newest version of each topic, so that a page shown again learns what it missed. The browser
 * reconnects with the last event's version.
 */
function connect(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  if (followed === "") return;
  const opened = new EventSource(withBase(`/api/events?topics=${followed}`));
  source = opened;
  opened.onopen = () => {
    failures = 0;
    setSignedOut(false);
    // The server is back: a page that loads would wait for its held request, and miss what changed.
    retrySafe();
  };
  opened.onmessage = ({ data }: MessageEvent<string>) => deliver(JSON.parse(data) as LiveEvent);
  opened.onerror = () => {
    // After an error status the browser doesn't reconnect.
    if (opened.readyState !== EventSource.CLOSED) return;
    retry = window.setTimeout(connect, exponentialBackoff(failures, RETRY));
    failures += 1;
    void isSignedOut().then((ended) => ended && source === opened && setSignedOut(true));
  };
}

function follow(topics: Iterable<string>): void {
  const next = [...new Set(topics)].sort().join();
  if (next === followed) return;
  followed = next;
  failures = 0;
  connect();
}

/** Only a visible page has a stream: over HTTP/1.1 a browser has six connections for all its tabs. */
function update(): void {
  updating = false;
  follow(document.visibilityState === "hidden" ? [] : [...followers.values()].flat());
}

/** Debounced: the next page often follows the same topics. */
function updateSoon(): void {
  if (updating) return;
  updating = true;
  setTimeout(update);
}

const release = () => follow([]);

function followTopics(topics: readonly string[], listener: Listener): () => void {
  if (followers.size === 0) {
    // A page in the back-forward cache must release the connection.
    window.addEventListener("pagehide", release);
    window.addEventListener("pageshow", updateSoon);
    document.addEventListener("visibilitychange", updateSoon);
  }
  followers.set(listener, topics);
  // What came while the page was being loaded went to the page before it, of whatever object it was.
  for (const topic of topics) {
    const version = heard.get(topic);
    if (version !== undefined) listener({ topic: topic as Topic, version });
  }
  updateSoon();
  return () => {
    followers.delete(listener);
    updateSoon();
  };
}

/** @returns undefined unless the response is whole and JSON: after a session has ended it is the sign-in page */
export async function readPart<T>(response: Response | undefined): Promise<T | undefined> {
  if (!response?.ok || !response.headers.get("content-type")?.includes("json")) return undefined;
  // The connection may be lost within the body.
  return response.json().catch(() => undefined) as Promise<T | undefined>;
}

/**
 * Keeps a part of a page's data up to date: refetches it after each change of a topic, without reloading the page.
 * @param loaded the part from the loader, a new object with each load
 * @param url returns the part as JSON
 */
export function useRefetched<T extends object>(loaded: T, topic: Topic, url: string): T {
  const version = useRouteLoaderData<{ liveVersion?: string }>("root")?.liveVersion;
  const [fetched, setFetched] = useState({ loaded, part: loaded });
  const latest = useRef({ loaded, version });
  // Skips only events older than the document: an extra request costs less than a missed change.
  if (latest.current.loaded !== loaded) latest.current = { loaded, version: undefined };
  useEffect(() => {
    let isCurrent = true;
    const refetch = async () => {
      const { current } = latest;
      const response = await fetch(withBase(url)).catch(() => undefined);
      const part = await readPart<T>(response);
      if (part && isCurrent) setFetched({ loaded: current.loaded, part });
    };
    // In the same tick as the page's own topics, so that they share one connection.
    const stop = followTopics([topic], (event) => {
      const latestVersion = latest.current.version;
      // The stream begins with changes that the page already has.
      if (latestVersion === undefined || isNewer(event.version, latestVersion)) void refetch();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [topic, url]);
  return fetched.loaded === loaded ? fetched.part : loaded;
}
