interface Held {
  /** Whether it is retried automatically. */
  isSafe: boolean;
  retry: () => void;
}

const heldRequests = new Set<Held>();
const listeners = new Set<() => void>();
let unreachable = false;
let signedOut = false;

function notify(): void {
  for (const listener of listeners) listener();
}

function change(next: boolean): void {
  if (unreachable === next) return;
  unreachable = next;
  notify();
}

export function setSignedOut(next: boolean): void {
  if (signedOut === next) return;
  signedOut = next;
  notify();
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

/** `unreachable` after a failed request until one succeeds; `signed-out` once the session of an open page ended. */
export type Connection = "ok" | "offline" | "unreachable" | "signed-out";

export function readConnection(): Connection {
  if (!navigator.onLine) return "offline";
  if (unreachable) return "unreachable";
  return signedOut ? "signed-out" : "ok";
}

export function noteReached(): void {
  change(false);
}

/** Retries held requests. */
export function retryHeld(only: (one: { isSafe: boolean }) => boolean = () => true): void {
  const again = [...heldRequests].filter(only);
  if (heldRequests.size === 0) change(false);
  for (const one of again) one.retry();
}

/** @throws an AbortError once canceled */
export function waitForRetry(isSafe: boolean, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      heldRequests.delete(one);
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
    heldRequests.add(one);
    signal?.addEventListener("abort", stop);
    change(true);
  });
}
