import type { LiveEvent } from "../events.schema";
import { createConnection } from "./connection";

/** The lock of the tab that has the connection, and the channel on which it passes events on. */
const NAME = "live-events";

type Message =
  | { kind: "event"; event: LiveEvent }
  /** From a tab that has just taken the connection over: each says what it follows. */
  | { kind: "topics wanted" }
  /** What a tab follows from now on; nothing when it leaves. */
  | { kind: "topics"; tab: string; topics: string[] };

export interface Stream {
  follow(topics: readonly string[]): void;
  close(): void;
}

/**
 * A stream of this tab alone, for browsers without locks or channels and for addresses without HTTPS. Only while the tab
 * is shown: HTTP/1.1 has six connections for all of them.
 */
function ownStream(onEvent: (event: LiveEvent) => void): Stream {
  const connection = createConnection(onEvent);
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

/** The tab's part of the browser's one stream: the tab with the lock is connected for all, and another follows it. */
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
    /** The newest version of each topic, for tabs that come later. */
    const newest = new Map<string, LiveEvent>();
    const connection = createConnection((event) => {
      newest.set(event.topic, { topic: event.topic, version: event.version });
      onEvent(event);
      post({ kind: "event", event });
    });
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
    post({ kind: "topics wanted" });
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
    else if (data.kind === "topics wanted") announce();
    else leader?.hear(data.tab, data.topics);
  };
  // Rejected when this tab leaves before its turn has come.
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
