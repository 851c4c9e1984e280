interface Held {
  /** Whether it is asked for again by itself once the browser is online: what changes nothing. */
  isSafe: boolean;
  retry: () => void;
}

const held = new Set<Held>();
const listeners = new Set<() => void>();
let unreachable = false;

function change(next: boolean): void {
  if (unreachable === next) return;
  unreachable = next;
  for (const listener of listeners) listener();
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("offline", listener);
  window.addEventListener("online", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("offline", listener);
    window.removeEventListener("online", listener);
  };
}

/** Whether requests get through: not while the browser is offline, nor after one that didn't until another did. */
export type Connection = "ok" | "offline" | "unreachable";

export function readConnection(): Connection {
  if (!navigator.onLine) return "offline";
  return unreachable ? "unreachable" : "ok";
}

export function noteReached(): void {
  change(false);
}

/** Retries every held request. Without any, the next request decides. */
export function retryHeld(only: (one: { isSafe: boolean }) => boolean = () => true): void {
  const again = [...held].filter(only);
  if (held.size === 0) change(false);
  for (const one of again) one.retry();
}

/** Holds a failed request until it is retried. @throws an AbortError once it is canceled */
export function waitForRetry(isSafe: boolean, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      held.delete(one);
      signal?.removeEventListener("abort", stop);
    };
    const stop = () => {
      leave();
      reject(new DOMException("The request was canceled.", "AbortError"));
    };
    const one: Held = {
      isSafe,
      retry: () => {
        leave();
        resolve();
      },
    };
    held.add(one);
    signal?.addEventListener("abort", stop);
    change(true);
  });
}
