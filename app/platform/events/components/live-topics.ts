import { retrySafe, setSignedOut } from "~/ui/connection";
import type { LiveEvent } from "../events.schema";
import { createConnection } from "./connection";

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
