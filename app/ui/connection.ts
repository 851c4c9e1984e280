import { onAbort } from "~/core/abort";

interface HeldRequest {
  /** Whether it is retried automatically. */
  isSafe: boolean;
  retry: () => void;
}

const heldRequests = new Set<HeldRequest>();
const listeners = new Set<() => void>();
let unreachable = false;
let signedOut = false;

function notify(): void {
  for (const listener of listeners) listener();
}

function setUnreachable(next: boolean): void {
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

let signsIn = false;

/** Notes where the latest answer leads: to the sign-in page once the session has ended. */
export function noteRedirect(to: string | null): void {
  signsIn = to !== null && /\/api\/login(?:\?|$)/.test(to);
}

/** Whether the page is left to sign in, after which what was typed is back. */
export const leavesToSignIn = (): boolean => signsIn;

export function markReachable(): void {
  setUnreachable(false);
}

export function retryHeld(filter: (request: { isSafe: boolean }) => boolean = () => true): void {
  const requests = [...heldRequests].filter(filter);
  if (heldRequests.size === 0) setUnreachable(false);
  for (const request of requests) request.retry();
}

/** Retries safe requests; the user retries the others. */
export const retrySafe = () => retryHeld(({ isSafe }) => isSafe);

/** @throws an AbortError once canceled */
export function waitForRetry(isSafe: boolean, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let release = () => {};
    const remove = () => {
      heldRequests.delete(request);
      release();
    };
    const request: HeldRequest = {
      isSafe,
      retry: () => {
        remove();
        resolve();
      },
    };
    heldRequests.add(request);
    release = onAbort(signal ?? undefined, () => {
      remove();
      reject(new DOMException("The request was canceled.", "AbortError"));
    });
    setUnreachable(true);
  });
}
