import type { LiveEvent } from "../events.schema";
import { openStream, type Stream } from "./shared-stream";

type Listener = (event: LiveEvent) => void;

const followers = new Map<Listener, readonly string[]>();
let stream: Stream | undefined;
let updating = false;

function deliver(event: LiveEvent): void {
  for (const [listener, topics] of [...followers]) if (topics.includes(event.topic)) listener(event);
}

function update(): void {
  updating = false;
  const topics = [...new Set([...followers.values()].flat())];
  if (topics.length === 0) {
    stream?.close();
    stream = undefined;
    return;
  }
  stream ??= openStream(deliver);
  stream.follow(topics);
}

/** Debounced: the next page often follows the same topics. */
function updateSoon(): void {
  if (updating) return;
  updating = true;
  setTimeout(update);
}

function closeOnExit(): void {
  stream?.close();
  stream = undefined;
}

export function followTopics(topics: readonly string[], listener: Listener): () => void {
  if (followers.size === 0) {
    // A page in the back-forward cache must release the connection.
    window.addEventListener("pagehide", closeOnExit);
    window.addEventListener("pageshow", updateSoon);
  }
  followers.set(listener, topics);
  updateSoon();
  return () => {
    followers.delete(listener);
    updateSoon();
  };
}
