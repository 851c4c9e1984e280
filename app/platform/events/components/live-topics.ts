import { retrySafe, setSignedOut } from "~/ui/connection";
import type { LiveEvent } from "../events.schema";

/** Delay before a refused connection is retried, in ms: the first and the maximum. */
const RETRY = { first: 2000, max: 60_000 };

interface Connection {
  follow(topics: Iterable<string>): void;
}

async function isSignedOut(): Promise<boolean> {
  const response = await fetch("/api/auth/user").catch(() => undefined);
  return response?.status === 401;
}

/**
 * The browser reconnects with the last event's version.
 * @param onSession whether the session has ended, once it is known
 */
function createConnection(
  onEvent: (event: LiveEvent) => void,
  onSession: (ended: boolean) => void,
): Connection {
  let followed = "";
  let source: EventSource | undefined;
  let retry: number | undefined;
  let failures = 0;
  const connect = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
    if (followed === "") return;
    const opened = new EventSource(`/api/events?topics=${followed}`);
    source = opened;
    opened.onopen = () => {
      failures = 0;
      onSession(false);
    };
    opened.onmessage = ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data) as LiveEvent);
    opened.onerror = () => {
      // After an error status the browser doesn't reconnect.
      if (opened.readyState !== EventSource.CLOSED) return;
      retry = window.setTimeout(connect, Math.min(RETRY.first * 2 ** failures, RETRY.max));
      failures += 1;
      void isSignedOut().then((ended) => ended && source === opened && onSession(true));
    };
  };
  return {
    follow(topics) {
      const next = [...new Set(topics)].sort().join();
      if (next === followed) return;
      followed = next;
      failures = 0;
      connect();
    },
  };
}

type Listener = (event: LiveEvent) => void;

const followers = new Map<Listener, readonly string[]>();
let updating = false;

function deliver(event: LiveEvent): void {
  for (const [listener, topics] of [...followers]) if (topics.includes(event.topic)) listener(event);
}

function noteSession(ended: boolean): void {
  setSignedOut(ended);
  // The server is back: a page that loads would wait for its held request, and miss what changed.
  if (!ended) retrySafe();
}

/** A stream begins with the newest version of each topic, so that a page shown again learns what it missed. */
const connection = createConnection(deliver, noteSession);

/** Only a visible page has a stream: over HTTP/1.1 a browser has six connections for all its tabs. */
function update(): void {
  updating = false;
  connection.follow(document.visibilityState === "hidden" ? [] : [...followers.values()].flat());
}

/** Debounced: the next page often follows the same topics. */
function updateSoon(): void {
  if (updating) return;
  updating = true;
  setTimeout(update);
}

const release = () => connection.follow([]);

export function followTopics(topics: readonly string[], listener: Listener): () => void {
  if (followers.size === 0) {
    // A page in the back-forward cache must release the connection.
    window.addEventListener("pagehide", release);
    window.addEventListener("pageshow", updateSoon);
    document.addEventListener("visibilitychange", updateSoon);
  }
  followers.set(listener, topics);
  updateSoon();
  return () => {
    followers.delete(listener);
    updateSoon();
  };
}
