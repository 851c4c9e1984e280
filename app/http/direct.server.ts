import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { AppError } from "~/core/errors";
import type { Permission } from "~/features/members/authorisation.server";
import { apiTable } from "./resource.server";
import { notFoundResponse } from "./status.server";

/** What the client gets. Success is always 200; a refusal is thrown. */
export interface DirectAnswer {
  /** The whole answer at once. */
  send(contentType: string, body: string | Uint8Array, headers?: Record<string, string>): void;
  /** The beginning of a stream. */
  begin(contentType: string, headers?: Record<string, string>): void;
  /**
   * The next piece of a stream. Where it returns a promise the client is slow: wait for it before the next piece.
   *
   * @throws the signal's reason when the client has left
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
  end(): void;
  /** Ends a stream with a last frame that says what went wrong. */
  fail(frame: string): void;
}

/** One request that is answered without Remix. */
interface DirectCall {
  actor: Actor;
  requestId: string;
  headers: IncomingHttpHeaders;
  /** What is in the place of the path's last part, decoded. */
  rest: string;
  /** Fires when the client leaves or its token ends; then the reason is an AppError. */
  signal: AbortSignal;
  /** @throws AppError `too_large`, `unsupported_media`, `unavailable` */
  readBody(): Promise<Buffer>;
  answer: DirectAnswer;
}

interface DirectEndpoint {
  /** One line for the API's readers. */
  summary: string;
  description?: string;
  access: Permission;
  params?: z.ZodType;
  /** Describes the body; who handles the call parses it. */
  body?: z.ZodType;
  response?: z.ZodType;
  produces?: string;
  handle(call: DirectCall): void | Promise<void>;
}

/** An error as the caller's protocol has it. */
type Refuse = (error: AppError, requestId: string) => { status: number; body: unknown };

export interface DirectDefinition {
  /** Its last part may be `{name}`, which takes the rest of the path with its slashes, or `*`. */
  path: string;
  tag: string;
  refuse: Refuse;
  GET?: DirectEndpoint;
  POST?: DirectEndpoint;
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
 * Registers a route that `directListener` answers on Node's own request and response, before Express and Remix, for
 * programs that come with an API token. What reaches Remix all the same, such as the address with `.data` behind it, is
 * not found.
 */
export function direct(definition: DirectDefinition) {
  const { path, tag, GET, POST } = definition;
  const open = /(?:\{\w+\}|\*)$/.exec(path);
  directTable().set(path, { ...definition, ...(open ? { stem: path.slice(0, open.index) } : {}) });
  if (GET || POST) {
    apiTable().set(path, {
      path,
      tag,
      forPrograms: true,
      ...(GET ? { GET: { status: 200, ...GET } } : {}),
      ...(POST ? { POST: { status: 200, ...POST } } : {}),
    });
  }
  return { loader: notHere, action: notHere };
}
