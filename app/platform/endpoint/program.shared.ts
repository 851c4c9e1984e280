import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { AppError } from "~/core/errors";
import type { Permission } from "../catalogue/permissions";
import type { Method } from "./endpoint.shared";

export interface ProgramResponse {
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
  response: ProgramResponse;
}

interface TokenCall extends PublicCall {
  actor: Actor;
}

interface Description {
  summary: string;
  description?: string;
  params?: z.ZodType;
  body?: z.ZodType;
  response?: z.ZodType;
  produces?: string;
  status?: number;
}

interface TokenEndpoint extends Description {
  access: Permission;
  handle(call: TokenCall): void | Promise<void>;
}

interface PublicEndpoint extends Description {
  access: "public";
  handle(call: PublicCall): void | Promise<void>;
}

export type ProgramEndpoint = TokenEndpoint | PublicEndpoint;

/** Formats an error in the caller's protocol; the content type defaults to JSON. */
export type Refuse = (
  error: AppError,
  requestId: string,
) => { status: number; body: unknown; contentType?: string };

/**
 * Calls of programs, which come without a session: they are answered below Express, on raw bytes, and in a protocol of
 * their own.
 */
export interface Program extends Partial<Record<Method, ProgramEndpoint>> {
  /** The last part may be `{name}` or `*`, which match the rest of the path. Without methods it is not found. */
  path: string;
  tag: string;
  /** Problem+json by default. */
  refuse?: Refuse;
}
