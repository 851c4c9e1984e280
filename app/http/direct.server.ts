import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { AppError } from "~/core/errors";
import type { Permission } from "~/platform/rights/authorization.server";
import { apiTable } from "./api-table.server";
import { notFoundResponse, toProblem } from "./status.server";

export interface DirectResponse {
  send(
    contentType: string,
    body: string | Uint8Array,
    headers?: Record<string, string>,
    status?: number,
  ): void;
  begin(contentType: string, headers?: Record<string, string>): void;
  /** Writes a chunk; await a returned promise for backpressure. @throws the signal's reason on disconnect */
  write(bytes: Uint8Array): Promise<void> | undefined;
  end(): void;
  fail(frame: string): void;
  /** Breaks the connection off, so that the client knows that the response isn't whole. */
  abort(): void;
}

interface PublicCall {
  method: string;
  requestId: string;
  headers: IncomingHttpHeaders;
  /** The path's open last part, decoded. */
  rest: string;
  query: URLSearchParams;
  /** Aborts with an AppError when the client disconnects or its token is revoked. */
  signal: AbortSignal;
  /** The JSON body, unparsed. @throws AppError `too_large`, `unsupported_media`, `unavailable` */
  readBody(): Promise<Buffer>;
  /** @throws AppError `too_large` beyond 1 MB, `unavailable` */
  readRaw(): Promise<Buffer>;
  response: DirectResponse;
}

interface DirectCall extends PublicCall {
  actor: Actor;
}

interface EndpointFacts {
  summary: string;
  description?: string;
  params?: z.ZodType;
  body?: z.ZodType;
  response?: z.ZodType;
  produces?: string;
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

/** Formats an error in the caller's protocol; the content type defaults to JSON. */
type Refuse = (error: AppError, requestId: string) => { status: number; body: unknown; contentType?: string };

export const refuseAsProblem: Refuse = (error, requestId) => {
  const body = toProblem(error, requestId);
  return { status: body.status, body, contentType: "application/problem+json; charset=utf-8" };
};

export const DIRECT_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type DirectMethod = (typeof DIRECT_METHODS)[number];

export interface DirectDefinition extends Partial<Record<DirectMethod, DirectEndpoint>> {
  /** The last part may be `{name}` or `*`, which match the rest of the path. */
  path: string;
  tag: string;
  refuse: Refuse;
}

type DirectRoute = DirectDefinition & { stem?: string };

// Complete when Remix has evaluated all route modules; survives re-evaluation in development.
const holder = globalThis as typeof globalThis & { quarterdeckDirect?: Map<string, DirectRoute> };

export function directTable(): Map<string, DirectRoute> {
  holder.quarterdeckDirect ??= new Map();
  return holder.quarterdeckDirect;
}

function respondNotFound({
  request,
  context,
}: {
  request: Request;
  context: { requestId: string };
}): Response {
  return notFoundResponse(new URL(request.url).pathname, context.requestId);
}

/** Registers a route handled by `directListener` before Express and Remix. */
export function direct(definition: DirectDefinition) {
  const { path, tag } = definition;
  const open = /(?:\{\w+\}|\*)$/.exec(path);
  directTable().set(path, { ...definition, ...(open ? { stem: path.slice(0, open.index) } : {}) });
  const endpoints = DIRECT_METHODS.flatMap((method) => {
    const endpoint = definition[method];
    return endpoint ? [[method, { status: 200, ...endpoint }] as const] : [];
  });
  if (endpoints.length > 0) {
    const isTokenOnly = endpoints.some(([, { access }]) => access !== "public");
    apiTable().set(path, { path, tag, isTokenOnly, ...Object.fromEntries(endpoints) });
  }
  return { loader: respondNotFound, action: respondNotFound };
}
