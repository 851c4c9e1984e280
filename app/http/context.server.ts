import type { ServerResponse } from "node:http";
import type { AppError } from "~/core/errors";
import type { EdgeRequest } from "./edge-policy.server";

export interface EdgeContext {
  /** For inline scripts and styles. */
  cspNonce: string;
  requestId: string;
  address: string;
  /** Whether the browser uses HTTPS, to the console or a proxy. */
  secure: boolean;
  /** Where browsers find the console, with the base path and without a slash at the end. */
  origin: string;
  /** Aborts with an AppError when the client disconnects, and at the response's end: `request.signal` can be garbage-collected. */
  closed: AbortSignal;
  /** Runs something once the response was handed over, or its connection has closed. */
  afterwards: (run: () => void) => void;
  /** Bytes buffered for the client. */
  waiting: () => number;
  cutOff: () => void;
  retryAfter: (seconds: number) => void;
  /** Reason for refusing the request, which a screen's action shows. */
  refusal?: AppError;
}

interface DescribedRequest {
  context: EdgeContext;
  described: EdgeRequest;
}

const requests = new WeakMap<ServerResponse, DescribedRequest>();

/** Keeps what the edge knows of a request beside its response. */
export const noteRequest = (response: ServerResponse, request: DescribedRequest) =>
  void requests.set(response, request);

export function requestOf(response: ServerResponse): DescribedRequest {
  const request = requests.get(response);
  if (!request) throw new Error("The request didn't come through the edge.");
  return request;
}

export type StreamClient = Pick<EdgeContext, "closed" | "waiting" | "cutOff">;

declare module "@remix-run/node" {
  // Keeps the types of loader and action data.
  interface Future {
    v3_singleFetch: true;
  }
  interface AppLoadContext extends EdgeContext {}
}
