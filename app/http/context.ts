import type { AppError } from "~/core/errors";

/** What the edge knows of a request and hands to loaders and actions. */
export interface EdgeContext {
  /** For inline scripts and styles of this answer. */
  cspNonce: string;
  requestId: string;
  /** The client's address as reported by the trusted proxies. */
  address: string;
  /** Whether the browser speaks HTTPS to us or to our proxy. */
  secure: boolean;
  /** The address people use, such as https://console.example.org. */
  origin: string;
  /** Fires when the client leaves: `request.signal` can be lost to garbage collection. */
  closed: AbortSignal;
  /** Bytes of the answer that the client hasn't taken yet. */
  waiting: () => number;
  /** Drops the connection, and with it what waits for the client. */
  cutOff: () => void;
  /** Sets `Retry-After` on the response, on any page. */
  retryAfter: (seconds: number) => void;
  /** Why this request isn't to be worked on; a screen's action shows it. */
  refusal?: AppError;
}

/** What a stream must know of the client it is for. */
export type StreamClient = Pick<EdgeContext, "closed" | "waiting" | "cutOff">;

declare module "@remix-run/node" {
  // Loaders' and actions' values keep their types on the way to the screen.
  interface Future {
    v3_singleFetch: true;
  }
  interface AppLoadContext extends EdgeContext {}
}
