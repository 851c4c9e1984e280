import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { type Access, type ActorOf, authoriseAccess, readActor, requireActor } from "./authentication.server";
import type { EdgeContext } from "./context";
import { type MultipartPart, readMultipart, type UploadLimits } from "./multipart.server";
import { parseWith } from "./parse.server";
import { readJson } from "./read-body.server";
import { problemResponse } from "./status.server";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What a schema that may be left out parses to. */
export type Parsed<T> = T extends z.ZodType ? z.infer<T> : undefined;

interface EndpointInput<A, P, Q, B> {
  actor: A;
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
  /** The parts of a multipart body, as they come. @throws AppError `unsupported_media` where the endpoint takes none */
  parts(): AsyncGenerator<MultipartPart>;
  /** The JSON body, unparsed, of an endpoint that takes a multipart form as well. */
  json(): Promise<unknown>;
  request: Request;
  context: EdgeContext;
}

interface EndpointDefinition<A, P, Q, B> {
  /** One line for the API's readers. */
  summary: string;
  description?: string;
  /** `public`, `signed-in` (every role), or the permission it takes. */
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Most bytes of a JSON body; 1 MB without it. */
  maxBytes?: number;
  /** The fields of a multipart form, for the API's readers; `handle` reads its `parts`. */
  form?: z.ZodType;
  /** What a multipart form may hold. */
  upload?: UploadLimits;
  /** What a success answers; absent for 204 and for streams. */
  response?: z.ZodType;
  /** The media type of the answer where it isn't JSON. */
  produces?: string;
  status?: 200 | 201 | 202 | 204 | 302 | 303;
  handle(input: EndpointInput<ActorOf<A>, P, Q, B>): unknown | Promise<unknown>;
}

/** An endpoint's OpenAPI description. */
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

/** An endpoint with its types erased. */
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
  // The builder below hands each endpoint exactly what its own schemas parsed, so the erased signature is safe.
  return { status: 200, ...definition } as unknown as Endpoint;
}

type ResourceDefinition = { path: string; tag: string } & Partial<Record<Method, Endpoint>>;

/** A route as the OpenAPI document has it. */
type ResourceDescription = {
  path: string;
  tag: string;
  /** It takes an API token and no session, and its errors are of another protocol. */
  forPrograms?: boolean;
} & Partial<Record<Method, EndpointDescription>>;

// Remix evaluates every route module at start: by the first request the table is complete. It outlives re-evaluation.
const holder = globalThis as typeof globalThis & { quarterdeckApi?: Map<string, ResourceDescription> };

/** Every call of the application by path, for the OpenAPI document. */
export function apiTable(): Map<string, ResourceDescription> {
  holder.quarterdeckApi ??= new Map();
  return holder.quarterdeckApi;
}

/** An answer with a status or headers of its own. */
export function reply(value: unknown, init: { status?: number; headers?: HeadersInit } = {}): Response {
  const headers = new Headers(init.headers);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  const status = init.status ?? 200;
  if (status === 204) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(value), { status, headers });
}

/** 201 with the new object's address. */
export function created(value: unknown, location: string): Response {
  return reply(value, { status: 201, headers: { Location: location } });
}

/**
 * A bare array whose next page, if there is one, is in the `Link` header (RFC 8288).
 * @param list the list's address where the request's own is another
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

async function run(definition: Endpoint, args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
  const { request, context } = args;
  const actor = definition.access === "public" ? readActor(request, context) : requireActor(request, context);
  authoriseAccess(actor, definition.access);
  const url = new URL(request.url);
  const params = definition.params && parseWith(definition.params, args.params, "address");
  const query =
    definition.query && parseWith(definition.query, Object.fromEntries(url.searchParams), "query");
  const body =
    definition.body && parseWith(definition.body, await readJson(request, definition.maxBytes), "body");
  const result = await definition.handle({
    actor,
    params: params as undefined,
    query: query as undefined,
    body: body as undefined,
    parts: () => readMultipart(request, definition.upload),
    json: () => readJson(request, definition.maxBytes),
    request,
    context,
  });
  if (result instanceof Response) return result;
  return reply(result, { status: definition.status });
}

/**
 * Builds a resource route from its method table. It answers in JSON, HEAD like GET without the body, 405 with `Allow`
 * for a method that isn't there, and every error as problem+json.
 */
export function resource(definition: ResourceDefinition) {
  apiTable().set(definition.path, definition);
  const allow = METHODS.flatMap((method) => {
    if (!definition[method]) return [];
    return method === "GET" ? ["GET", "HEAD"] : [method];
  }).join(", ");

  async function answer(args: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> {
    const { request, context } = args;
    const method = request.method === "HEAD" ? "GET" : (request.method as Method);
    const found = METHODS.includes(method) ? definition[method] : undefined;
    if (!found) {
      const error = new AppError(
        "method_not_allowed",
        `${definition.path} supports ${allow}, not ${request.method}.`,
      );
      return problemResponse(error, context.requestId, { Allow: allow });
    }
    try {
      const response = await run(found, args);
      if (request.method !== "HEAD") return response;
      await response.body?.cancel();
      return new Response(null, { status: response.status, headers: response.headers });
    } catch (error) {
      if (error instanceof Response) return error;
      const unauthenticated = error instanceof AppError && error.code === "unauthenticated";
      return problemResponse(
        error,
        context.requestId,
        unauthenticated ? { "WWW-Authenticate": "Bearer" } : {},
      );
    }
  }

  return { loader: answer as (args: LoaderFunctionArgs) => Promise<Response>, action: answer };
}
