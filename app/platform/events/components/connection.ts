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
export function createConnection(
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
