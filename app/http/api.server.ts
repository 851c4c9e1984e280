import type { IncomingMessage, ServerResponse } from "node:http";
import { createReadableStreamFromReadable, type ServerBuild } from "@remix-run/node";
import { followSignal, onAbort } from "~/core/abort";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { asAppError } from "~/core/as-app-error.server";
import { withoutBase } from "~/core/base-path";
import { AppError } from "~/core/errors";
import { parseWith } from "~/core/parse";
import { kept } from "~/core/process.server";
import {
  type Access,
  allowedBy,
  type Call,
  type Endpoint,
  METHODS,
  type Method,
  needsNoBody,
  type Program,
} from "~/platform/endpoint/endpoint.shared";
import {
  authoriseAccess,
  challenge,
  readActor,
  requireActor,
  requireTokenActor,
} from "./authentication.server";
import { type EdgeContext, requestOf } from "./context.server";
import { assertSameOrigin, type EdgePolicy } from "./edge-policy.server";
import { readMultipart } from "./multipart.server";
import { countHeld, drain, readJson, readRaw } from "./request-body.server";
import { sendResponse, setHeaders, toResponse } from "./send-response.server";
import { problemPage, problemResponse, refusalHeaders } from "./status.server";

type AddressDescription = {
  path: string;
  tag: string;
  /** Takes API tokens alone. */
  isTokenOnly: boolean;
  /** Whether the last parameter takes the rest of the address. */
  takesRest: boolean;
  /** The form of its errors, unless it is problem+json. */
  refusal: Program["refusal"];
  ownRefusal: Program["ownRefusal"];
} & Partial<Record<Method, Endpoint>>;

export const apiTable = () => kept("api table", () => new Map<string, AddressDescription>());

type Methods = Partial<Record<Method, Endpoint>>;

let methodsAt: (path: string) => Methods | undefined = () => undefined;
let programs: readonly Program[] = [];

/** The API as the doors reach it: development may have loaded this module again since the edge was made. */
export const apiDoor = () =>
  kept("api door", () => ({ answer: answerCall, refuse: refusal, allowedAt, programOf }));

function programOf(path: string): Program | undefined {
  return programs.find(({ under }) => path === under || path.startsWith(`${under}/`));
}

const PARAMETER = /^\{(\w+)\}$/;

/** At the start: the calls that `answerCall` answers. @param own those of programs, the longest address first */
export function offerApi(list: readonly Endpoint[], own: readonly Program[]): void {
  programs = own;
  Object.assign(apiDoor(), { answer: answerCall, refuse: refusal, allowedAt, programOf });
  apiTable().clear();
  const byPattern = new Map<string, Methods>();
  for (const endpoint of list) {
    const { path, method, tag, takesRest = false } = endpoint;
    const pattern = path.replaceAll(/\{\w+\}/g, ":").replace(/:$/, takesRest ? "*" : ":");
    const methods = byPattern.get(pattern) ?? {};
    if (methods[method]) throw new Error(`${method} ${path} is declared twice.`);
    byPattern.set(pattern, { ...methods, [method]: endpoint });
    const { callers, refusal, ownRefusal } = programOf(path) ?? {};
    const isTokenOnly = callers === "tokens";
    const described = { ...apiTable().get(path), path, tag, isTokenOnly, takesRest, refusal, ownRefusal };
    apiTable().set(path, { ...described, [method]: endpoint });
  }
  methodsAt = mostLiteral(byPattern);
}

function allowedAt(path: string): string | undefined {
  const methods = methodsAt(withoutLastSlashes(path));
  return methods && allowedBy(methods);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new AppError("invalid", "The address is malformed.", { cause });
  }
}

/** Slashes at the end are nobody's concern. They are counted: a pattern would take long for thousands in the middle. */
function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** The parameters in an address; only they may be spelled in other ways, as limits go by the path. */
function paramsOf({ path, takesRest }: Endpoint, address: string): Record<string, string> {
  const names = path.split("/").map((part) => PARAMETER.exec(part)?.[1]);
  const parts = address.split("/");
  const last = names.length - 1;
  const partAt = (at: number) => (takesRest && at === last ? parts.slice(at).join("/") : (parts[at] ?? ""));
  return Object.fromEntries(names.flatMap((name, at) => (name ? [[name, decode(partAt(at))]] : [])));
}

function endpointOf(methods: Methods, method: string): Endpoint {
  const name = method === "HEAD" ? "GET" : method;
  const endpoint = METHODS.includes(name as Method) ? methods[name as Method] : undefined;
  if (endpoint) return endpoint;
  const allow = allowedBy(methods);
  const [one] = Object.values(methods);
  throw new AppError("method_not_allowed", `${one?.path} supports ${allow}, not ${method}.`, { allow });
}

interface Edge {
  request: Request;
  context: EdgeContext;
}

const edges = new WeakMap<object, Edge>();

/** What a handler of the edge's own may know beyond its call: signing in and out speak HTTP themselves. */
export function edgeOf(call: object): Edge {
  const edge = edges.get(call);
  if (!edge) throw new Error("The call has no request.");
  return edge;
}

/** Counts a call to its caller's limit. @returns the refusal above it */
export type Count = (actor: Actor | undefined) => AppError | undefined;

/** @throws AppError `unauthenticated`, `rate_limited` */
function identify(program: Program, request: Request, context: EdgeContext, count: Count): Actor | undefined {
  const counted = (actor: Actor | undefined) => {
    const refusal = count(actor);
    if (refusal) throw refusal;
    return actor;
  };
  if (program.callers === "anyone") return counted(undefined);
  try {
    return counted(requireTokenActor(request, context));
  } catch (error) {
    // Wrong tokens count by address, which limits guessing.
    if (error instanceof AppError && error.code === "unauthenticated") counted(undefined);
    throw error;
  }
}

/** In ms, for a stream to say that its token was revoked. */
const REVOKED_GRACE = 1000;

/** Ends a call with its token, however long it runs. @returns the context with a signal that says so */
function whileAllowed(actor: Actor, access: Access, request: Request, context: EdgeContext): EdgeContext {
  const { controller, release } = followSignal(context.closed);
  const stopWatching = onAccessChanged((userId) => {
    if (userId !== actor.userId) return;
    try {
      authoriseAccess(requireTokenActor(request, context), access);
    } catch {
      controller.abort(
        new AppError("unauthenticated", "The API token is no longer valid. Create a new one."),
      );
      setTimeout(context.cutOff, REVOKED_GRACE).unref();
    }
  });
  const end = () => {
    stopWatching();
    release();
  };
  onAbort(context.closed, end);
  return { ...context, closed: controller.signal };
}

async function run(
  endpoint: Endpoint,
  actor: Actor | undefined,
  given: Record<string, string>,
  request: Request,
  context: EdgeContext,
): Promise<Response> {
  authoriseAccess(actor, endpoint.access);
  const { searchParams } = new URL(request.url);
  const { maxBytes, body, rawBody } = endpoint;
  let take: ReturnType<typeof countHeld> | undefined;
  const call = {
    actor,
    params: endpoint.params && parseWith(endpoint.params, given, "address"),
    query: endpoint.query && parseWith(endpoint.query, Object.fromEntries(searchParams), "query"),
    body:
      body && parseWith(body, await readJson(request, { maxBytes, isOptional: needsNoBody(body) }), "body"),
    raw: () => readRaw(request, { maxBytes, isJson: rawBody !== undefined, afterwards: context.afterwards }),
    parts: () => readMultipart(request, endpoint.upload),
    hold(bytes: number) {
      take ??= countHeld(context.afterwards);
      take(bytes);
    },
    json: () => readJson(request, { maxBytes }),
    headers: request.headers,
    method: request.method,
    requestId: context.requestId,
    search: searchParams,
    origin: context.origin,
    secure: context.secure,
    address: context.address,
    signal: context.closed,
  };
  edges.set(call, { request, context });
  return toResponse(await endpoint.handle(call as Call<undefined>), endpoint.status, request, context);
}

function refusal(
  program: Program | undefined,
  thrown: unknown,
  { requestId }: Pick<EdgeContext, "requestId">,
  given?: Headers,
): Response {
  if (!program?.refuse) return problemResponse(thrown, requestId, challenge(thrown));
  const error = asAppError(thrown, requestId);
  const { status, body, contentType = "application/json", headers } = program.refuse(error, requestId, given);
  const all = { ...headers, ...refusalHeaders(error), ...challenge(error), "Content-Type": contentType };
  return new Response(JSON.stringify(body), { status, headers: all });
}

/** Answers a call, with errors in the caller's protocol. @param count for callers that the edge doesn't know */
export async function answerCall(request: Request, context: EdgeContext, count?: Count): Promise<Response> {
  const pathname = withoutBase(new URL(request.url).pathname);
  const program = programOf(pathname);
  try {
    const { method, headers } = request;
    if (program?.isOwnPage)
      assertSameOrigin({ method, path: pathname, headers: Object.fromEntries(headers) });
    const own = program?.callers && count ? { actor: identify(program, request, context, count) } : undefined;
    const path = withoutLastSlashes(pathname);
    const methods = methodsAt(path);
    if (!methods) throw new AppError("not_found", `${pathname} not found.`);
    const endpoint = endpointOf(methods, request.method);
    const actorFor = endpoint.access === "public" ? readActor : requireActor;
    const actor = own ? own.actor : actorFor(request, context);
    const watched = own?.actor ? whileAllowed(own.actor, endpoint.access, request, context) : context;
    const response = await run(endpoint, actor, paramsOf(endpoint, path), request, watched);
    if (request.method !== "HEAD") return response;
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  } catch (error) {
    if (error instanceof Response) return error;
    // A link to a download, say, which a browser would replace its page by.
    const isOpened = request.method === "GET" && request.headers.get("accept")?.includes("text/html");
    if (isOpened && !program?.refuse) return problemPage(error, context.requestId);
    return refusal(program, error, context, request.headers);
  }
}

const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

function toRequest(message: IncomingMessage): Request {
  const { method = "GET", rawHeaders, url = "/" } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: createReadableStreamFromReadable(message), duplex: "half" as const } : {};
  return new Request(`http://localhost${url}`, { method, headers, ...body });
}

async function answer(request: IncomingMessage, response: ServerResponse, count: Count): Promise<void> {
  const { context } = requestOf(response);
  const { answer, refuse } = apiDoor();
  const toFree: (() => void)[] = [];
  const afterwards = (run: () => void) => void toFree.push(run);
  try {
    const answered = await answer(toRequest(request), { ...context, afterwards }, count);
    await sendResponse(response, answered);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else await sendResponse(response, refuse(undefined, error, context));
  } finally {
    for (const free of toFree) free();
  }
}

/**
 * The way in of programs, beside the one through Remix: raw bytes, any method.
 * @param takes whose calls it answers
 * @returns a listener that says whether it answers a request
 */
export function programDoor(policy: EdgePolicy, takes: (program: Program) => boolean) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { described } = requestOf(response);
    const program = apiDoor().programOf(described.path);
    if (!program || !takes(program)) return false;
    const count: Count = (actor) => {
      const { headers, refusal } = policy.count(described, actor);
      setHeaders(response, headers);
      return refusal;
    };
    setHeaders(response, policy.contentPolicy(CONTENT_POLICY));
    // The unread body would block the connection's next request.
    response.once("finish", () => drain(request));
    void answer(request, response, count);
    return true;
  };
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const PARTS: Readonly<Record<string, { expression: string; rank: string }>> = {
  ":": { expression: "[^/]+", rank: "1" },
  "*": { expression: ".*", rank: "2" },
};

/**
 * Finds what stands under the most literal pattern that a path matches, such as `/users/:`.
 * @param patterns with `:` for a part that is any text, and `*` for all that follows
 */
function mostLiteral<T>(patterns: ReadonlyMap<string, T>): (path: string) => T | undefined {
  const ranked = [...patterns].map(([pattern, value]) => {
    const parts = pattern.split("/").map((text) => PARTS[text] ?? { expression: escaped(text), rank: "0" });
    const expression = new RegExp(`^${parts.map((part) => part.expression).join("/")}$`, "s");
    return { expression, value, rank: parts.map((part) => part.rank).join("") };
  });
  ranked.sort((a, b) => a.rank.localeCompare(b.rank));
  return (path) => ranked.find(({ expression }) => expression.test(path))?.value;
}

const segmentsOf = (path: string) => path.split("/").filter(Boolean);
const readable = (path: string) => `/${path}`.replaceAll(/:(\w+)\??/g, "{$1}");
const toPattern = (segments: readonly string[]) =>
  `/${segments.map((segment) => (segment.startsWith(":") ? ":" : segment)).join("/")}`;

function patternsOf({ routes }: ServerBuild): string[] {
  const full = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    return route ? [full(route.parentId), route.path ?? ""].filter(Boolean).join("/") : "";
  };
  return Object.keys(routes).map(full);
}

/** @param calls those of the API, with paths such as `/api/personas/{id}` */
export function routeMatcher(
  build: ServerBuild,
  calls: Iterable<{ path: string; takesRest?: boolean }> = [],
): (path: string) => string {
  const names = new Map<string, string>();
  for (const path of patternsOf(build)) {
    const segments = segmentsOf(path);
    names.set(toPattern(segments), readable(path));
    // The last part may be missing.
    const parent = toPattern(segments.slice(0, -1));
    if (/(?:\?|^\*|\/\*)$/.test(path) && !names.has(parent)) names.set(parent, readable(path));
  }
  for (const { path, takesRest } of calls) {
    const pattern = path.replaceAll(/\{\w+\}/g, ":");
    names.set(pattern, path);
    if (takesRest) names.set(`${pattern}/*`, path);
  }
  names.set("/", "/");
  const nameOf = mostLiteral(names);
  return (path) => {
    if (path.startsWith("/assets/")) return "/assets/*";
    // Data requests end with `.data`.
    const page = path.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    return nameOf(`/${segmentsOf(page).join("/")}`) ?? "unmatched";
  };
}
