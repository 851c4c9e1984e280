import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import {
  type Access,
  type ActorOf,
  authoriseAccess,
  challenge,
  readActor,
  requireActor,
} from "./authentication.server";
import type { EdgeContext } from "./context";
import { type MultipartPart, readMultipart, type UploadLimits } from "./multipart.server";
import { parseWith } from "./parse.server";
import { readJson } from "./read-body.server";
import { problemResponse } from "./status.server";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export type Parsed<T> = T extends z.ZodType ? z.infer<T> : undefined;

interface EndpointInput<A, P, Q, B> {
  actor: A;
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
  /** @throws AppError `unsupported_media` unless the endpoint accepts multipart forms */
  parts(): AsyncGenerator<MultipartPart>;
  json(): Promise<unknown>;
  request: Request;
  context: EdgeContext;
}

interface EndpointDefinition<A, P, Q, B> {
  summary: string;
  description?: string;
  /** `public`, `signed-in` (every role), or a permission. */
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  maxBytes?: number;
  /** Fields of a multipart form, for the API reference; `handle` reads its `parts`. */
  form?: z.ZodType;
  upload?: UploadLimits;
  response?: z.ZodType;
  produces?: string;
  status?: 200 | 201 | 202 | 204 | 302 | 303;
  handle(input: EndpointInput<ActorOf<A>, P, Q, B>): unknown | Promise<unknown>;
}

export interface EndpointDescription {
  summary: string;
  description?: string;
  access: Access;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  form?: z.ZodType;
  response?: z.ZodType;
  produces?: string;
  status: number;
}

interface Endpoint extends EndpointDescription {
  maxBytes?: number;
  upload?: UploadLimits;
  handle(input: EndpointInput<Actor | undefined, undefined, undefined, undefined>): unknown;
}

export function endpoint<
  const A extends Access,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: EndpointDefinition<A, P, Q, B>): Endpoint {
  // Safe, since each endpoint gets what its own schemas parsed.
  return { status: 200, ...definition } as unknown as Endpoint;
}

type ResourceDefinition = { path: string; tag: string } & Partial<Record<Method, Endpoint>>;

type ResourceDescription = {
  path: string;
  tag: string;
  /** Accepts API tokens only and has another protocol's errors. */
  isTokenOnly?: boolean;
} & Partial<Record<Method, EndpointDescription>>;

const holder = globalThis as typeof globalThis & { quarterdeckApi?: Map<string, ResourceDescription> };

export function apiTable(): Map<string, ResourceDescription> {
  holder.quarterdeckApi ??= new Map();
  return holder.quarterdeckApi;
}

export function reply(value: unknown, init: { status?: number; headers?: HeadersInit } = {}): Response {
  const headers = new Headers(init.headers);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  const status = init.status ?? 200;
  if (status === 204) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(value), { status, headers });
}

export function created(value: unknown, location: string): Response {
  return reply(value, { status: 201, headers: { Location: location } });
}

/**
 * A JSON array with the next page in the `Link` header (RFC 8288).
 * @param list the list's address if it isn't the request's
 */
export function paged(
  request: Request,
  items: readonly unknown[],
  next: string | undefined,
  list = request.url,
): Response {
  if (next === undefined) return reply(items);
  const url = new URL(list, request.url);
  url.searchParams.set("cursor", next);
  return reply(items, { headers: { Link: `<${url.pathname}${url.search}>; rel="next"` } });
}

/** Whether a call with this schema says all without a body. */
export const needsNoBody = (schema: z.ZodType): boolean => schema.safeParse({}).success;

async function run(definition: Endpoint, args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
  const { request, context } = args;
  const actor = definition.access === "public" ? readActor(request, context) : requireActor(request, context);
  authoriseAccess(actor, definition.access);
  const url = new URL(request.url);
  const params = definition.params && parseWith(definition.params, args.params, "address");
  const query =
    definition.query && parseWith(definition.query, Object.fromEntries(url.searchParams), "query");
  const { maxBytes } = definition;
  const body =
    definition.body &&
    parseWith(
      definition.body,
      await readJson(request, { maxBytes, isOptional: needsNoBody(definition.body) }),
      "body",
    );
  const result = await definition.handle({
    actor,
    params: params as undefined,
    query: query as undefined,
    body: body as undefined,
    parts: () => readMultipart(request, definition.upload),
    json: () => readJson(request, { maxBytes }),
    request,
    context,
  });
  if (result instanceof Response) return result;
  return reply(result, { status: definition.status });
}

/** Builds a JSON route from a method table, with HEAD, 405 with `Allow`, and errors as problem+json. */
export function resource(definition: ResourceDefinition) {
  apiTable().set(definition.path, definition);
  const allow = METHODS.flatMap((method) => {
    if (!definition[method]) return [];
    return method === "GET" ? ["GET", "HEAD"] : [method];
  }).join(", ");

  async function handle(args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
    const { request, context } = args;
    const method = request.method === "HEAD" ? "GET" : (request.method as Method);
    const endpoint = METHODS.includes(method) ? definition[method] : undefined;
    if (!endpoint) {
      const error = new AppError(
        "method_not_allowed",
        `${definition.path} supports ${allow}, not ${request.method}.`,
        { allow },
      );
      return problemResponse(error, context.requestId);
    }
    try {
      const response = await run(endpoint, args);
      if (request.method !== "HEAD") return response;
      await response.body?.cancel();
      return new Response(null, { status: response.status, headers: response.headers });
    } catch (error) {
      if (error instanceof Response) return error;
      return problemResponse(error, context.requestId, challenge(error));
    }
  }

  return { loader: handle as (args: LoaderFunctionArgs) => Promise<Response>, action: handle };
}
