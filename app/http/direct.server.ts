import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { AppError } from "~/core/errors";
import type { Permission } from "~/features/members/authorisation.server";
import { apiTable } from "./resource.server";
import { notFoundResponse, toProblem } from "./status.server";

/** The response. A refusal is thrown. */
export interface DirectAnswer {
  /** The whole response at once. @param status 200 without it */
  send(
    contentType: string,
    body: string | Uint8Array,
    headers?: Record<string, string>,
    status?: number,
  ): void;
  /** The beginning of a stream. */
  begin(contentType: string, headers?: Record<string, string>): void;
  /**
   * The next piece of a stream. Where it returns a promise the client is slow: wait for it before the next piece.
   *
   * @throws the signal's reason when the client has left
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** The next piece of a stream that doesn't wait for its client: one that lags far behind is cut off. */
  push(text: string): void;
  end(): void;
  /** Ends a stream with a last frame that says what went wrong. */
  fail(frame: string): void;
}

/** One request that is answered without Remix, open to everyone. */
interface PublicCall {
  method: string;
  requestId: string;
  headers: IncomingHttpHeaders;
  /** What is in the place of the path's last part, decoded. */
  rest: string;
  query: URLSearchParams;
  /** Fires when the client leaves or its token ends; then the reason is an AppError. */
  signal: AbortSignal;
  /** The JSON body, unparsed. @throws AppError `too_large`, `unsupported_media`, `unavailable` */
  readBody(): Promise<Buffer>;
  /** The body of any type, as it was sent. @throws AppError `too_large` beyond 1 MB, `unavailable` */
  readRaw(): Promise<Buffer>;
  answer: DirectAnswer;
}

/** One request of an API token, or of a session where the route is open to people. */
interface DirectCall extends PublicCall {
  actor: Actor;
}

interface EndpointFacts {
  /** One line for the API's readers. */
  summary: string;
  description?: string;
  params?: z.ZodType;
  /** Describes the body; who handles the call parses it. */
  body?: z.ZodType;
  response?: z.ZodType;
  produces?: string;
  /** Of a usual success; 200 without it. */
  status?: number;
}

interface TokenEndpoint extends EndpointFacts {
  access: Permission;
  handle(call: DirectCall): void | Promise<void>;
}

interface PublicEndpoint extends EndpointFacts {
  access: "public";
  handle(call: PublicCall): void | Promise<void>;
}

export type DirectEndpoint = TokenEndpoint | PublicEndpoint;

/** An error as the caller's protocol has it; without a content type it is plain JSON. */
type Refuse = (error: AppError, requestId: string) => { status: number; body: unknown; contentType?: string };

/** An error as the console's own API has it. */
export const refuseAsProblem: Refuse = (error, requestId) => {
  const body = toProblem(error, requestId);
  return { status: body.status, body, contentType: "application/problem+json; charset=utf-8" };
};

export const DIRECT_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type DirectMethod = (typeof DIRECT_METHODS)[number];

export interface DirectDefinition extends Partial<Record<DirectMethod, DirectEndpoint>> {
  /** Its last part may be `{name}`, which takes the rest of the path with its slashes, or `*`. */
  path: string;
  tag: string;
  refuse: Refuse;
  /**
   * Whether it takes a session besides an API token, as the console's own API does; then its bodies are limited as there,
   * and a stream of it outlives its asker's rights unless the handler ends it.
   */
  forPeople?: boolean;
}

/** A route in the table; `stem` is what its open last part follows. */
type DirectRoute = DirectDefinition & { stem?: string };

// As with the resource routes: complete once Remix has evaluated all route modules, and it outlives re-evaluation.
const holder = globalThis as typeof globalThis & { quarterdeckDirect?: Map<string, DirectRoute> };

/** Every route that is answered without Remix, by its path. */
export function directTable(): Map<string, DirectRoute> {
  holder.quarterdeckDirect ??= new Map();
  return holder.quarterdeckDirect;
}

function notHere({ request, context }: { request: Request; context: { requestId: string } }): Response {
  return notFoundResponse(new URL(request.url).pathname, context.requestId);
}

/**
 * Registers a route that `directListener` answers on Node's own request and response, before Express and Remix: for
 * programs with an API token, for people too where it says so, for everyone where the endpoint is public. What reaches Remix all the same, such as
 * the address with `.data` behind it, is not found.
 */
export function direct(definition: DirectDefinition) {
  const { path, tag, forPeople = false } = definition;
  const open = /(?:\{\w+\}|\*)$/.exec(path);
  directTable().set(path, { ...definition, ...(open ? { stem: path.slice(0, open.index) } : {}) });
  const endpoints = DIRECT_METHODS.flatMap((method) => {
    const endpoint = definition[method];
    return endpoint ? [[method, { status: 200, ...endpoint }] as const] : [];
  });
  if (endpoints.length > 0) {
    const forPrograms = !forPeople && endpoints.some(([, { access }]) => access !== "public");
    apiTable().set(path, { path, tag, forPrograms, ...Object.fromEntries(endpoints) });
  }
  return { loader: notHere, action: notHere };
}
