import { retrySafe, setSignedOut } from "~/ui/connection";
import type { LiveEvent } from "../events.schema";
import { createConnection } from "./connection";

/** Name of the lock and of the broadcast channel. */
const NAME = "live-events";

type Message =
  | { kind: "event"; event: LiveEvent }
  | { kind: "session"; ended: boolean }
  /** From a new leader: each tab responds with its topics. */
  | { kind: "request topics" }
  /** A tab's topics; empty when it closes. */
  | { kind: "topics"; tab: string; topics: string[] };

function noteSession(ended: boolean): void {
  setSignedOut(ended);
  // The server is back: a page that loads would wait for its held request, and miss what changed.
  if (!ended) retrySafe();
}

export interface Stream {
  follow(topics: readonly string[]): void;
  close(): void;
}

/** A stream per visible tab, for browsers without locks or channels: HTTP/1.1 has six connections. */
function ownStream(onEvent: (event: LiveEvent) => void): Stream {
  const connection = createConnection(onEvent, noteSession);
  let own: readonly string[] = [];
  const update = () => connection.follow(document.visibilityState === "hidden" ? [] : own);
  document.addEventListener("visibilitychange", update);
  return {
    follow(topics) {
      own = topics;
      update();
    },
    close() {
      document.removeEventListener("visibilitychange", update);
      connection.follow([]);
    },
  };
}

/** The tab with the lock connects for all tabs. */
function sharedStream(onEvent: (event: LiveEvent) => void): Stream {
  const tab = crypto.randomUUID();
  const channel = new BroadcastChannel(NAME);
  const ending = new AbortController();
  let own: readonly string[] = [];
  const post = (message: Message) => channel.postMessage(message);
  const announce = () => post({ kind: "topics", tab, topics: [...own] });
  /** Set while this tab is the connected one. */
  let leader: { follow(): void; hear(tab: string, topics: readonly string[]): void } | undefined;

  const lead = () => {
    const others = new Map<string, readonly string[]>();
    /** The newest version of each topic, for later tabs. */
    const newest = new Map<string, LiveEvent>();
    const connection = createConnection(
      (event) => {
        newest.set(event.topic, { topic: event.topic, version: event.version });
        onEvent(event);
        post({ kind: "event", event });
      },
      (ended) => {
        noteSession(ended);
        post({ kind: "session", ended });
      },
    );
    const update = () => connection.follow([...own, ...[...others.values()].flat()]);
    const newestOf = (topics: readonly string[]) => topics.flatMap((topic) => newest.get(topic) ?? []);
    leader = {
      follow() {
        update();
        for (const event of newestOf(own)) onEvent(event);
      },
      hear(other, topics) {
        if (topics.length > 0) others.set(other, topics);
        else others.delete(other);
        update();
        for (const event of newestOf(topics)) post({ kind: "event", event });
      },
    };
    post({ kind: "request topics" });
    update();
    return new Promise<void>((release) => {
      ending.signal.addEventListener("abort", () => {
        leader = undefined;
        connection.follow([]);
        release();
      });
    });
  };

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "event") onEvent(data.event);
    else if (data.kind === "session") noteSession(data.ended);
    else if (data.kind === "request topics") announce();
    else leader?.hear(data.tab, data.topics);
  };
  // Rejected when this tab closes first.
  navigator.locks.request(NAME, { signal: ending.signal }, lead).catch(() => undefined);
  return {
    follow(topics) {
      own = topics;
      if (leader) leader.follow();
      else announce();
    },
    close() {
      own = [];
      announce();
      ending.abort();
      channel.close();
    },
  };
}

export function openStream(onEvent: (event: LiveEvent) => void): Stream {
  const shared = "locks" in navigator && typeof BroadcastChannel === "function";
  return shared ? sharedStream(onEvent) : ownStream(onEvent);
}
