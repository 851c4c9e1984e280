import { AppError } from "~/core/errors";
import { parseWith } from "~/core/parse-with";
import {
  allowedBy,
  type Call,
  type Endpoint,
  METHODS,
  type Method,
} from "~/platform/endpoint/endpoint.shared";
import { toResponse } from "./answers.server";
import { apiTable } from "./api-table.server";
import { authoriseAccess, challenge, readActor, requireActor } from "./authentication.server";
import type { EdgeContext } from "./context";
import { readMultipart } from "./multipart.server";
import { readJson } from "./read-body.server";
import { notFoundResponse, problemResponse } from "./status.server";

type Methods = Partial<Record<Method, Endpoint>>;

/** A part of the addresses: its own methods, and the parts below it. */
interface Branch {
  methods: Methods;
  fixed: Map<string, Branch>;
  /** The part that takes any text. */
  open?: Branch;
}

const newBranch = (): Branch => ({ methods: {}, fixed: new Map() });

let tree = newBranch();

const PARAMETER = /^\{(\w+)\}$/;

function branchOf(path: string): Branch {
  let branch = tree;
  for (const part of path.split("/").slice(1)) {
    if (PARAMETER.test(part)) {
      branch.open ??= newBranch();
      branch = branch.open;
    } else {
      const next = branch.fixed.get(part) ?? newBranch();
      branch.fixed.set(part, next);
      branch = next;
    }
  }
  return branch;
}

/** At the start: the calls that `answerCall` answers. */
export function offerApi(list: readonly Endpoint[]): void {
  tree = newBranch();
  for (const endpoint of list) {
    const { path, method, tag } = endpoint;
    const { methods } = branchOf(path);
    if (methods[method]) throw new Error(`${method} ${path} is declared twice.`);
    methods[method] = endpoint;
    const described = apiTable().get(path);
    apiTable().set(path, { ...described, path, tag, [method]: endpoint });
  }
}

/** The most literal address that has methods. */
function find(branch: Branch, parts: readonly string[]): Methods | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return Object.keys(branch.methods).length > 0 ? branch.methods : undefined;
  const fixed = branch.fixed.get(part);
  return (fixed && find(fixed, rest)) ?? (branch.open && part !== "" ? find(branch.open, rest) : undefined);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new AppError("invalid", "The address is malformed.", { cause });
  }
}

/**
 * The parts of an address, still encoded: only a parameter may be spelled in other ways, as limits go by the path.
 * Slashes at the end are nobody's concern. They are counted: a pattern would take long for thousands in the middle.
 */
function partsOf(path: string): string[] {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end).split("/").slice(1);
}

function paramsOf({ path }: Endpoint, parts: readonly string[]): Record<string, string> {
  const names = path
    .split("/")
    .slice(1)
    .map((part) => PARAMETER.exec(part)?.[1]);
  return Object.fromEntries(names.flatMap((name, at) => (name ? [[name, decode(parts[at] ?? "")]] : [])));
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

async function run(
  endpoint: Endpoint,
  given: Record<string, string>,
  request: Request,
  context: EdgeContext,
): Promise<Response> {
  const actor = endpoint.access === "public" ? readActor(request, context) : requireActor(request, context);
  authoriseAccess(actor, endpoint.access);
  const { searchParams } = new URL(request.url);
  const { maxBytes, body, isBodyOptional } = endpoint;
  const call = {
    actor,
    params: endpoint.params && parseWith(endpoint.params, given, "address"),
    query: endpoint.query && parseWith(endpoint.query, Object.fromEntries(searchParams), "query"),
    body: body && parseWith(body, await readJson(request, { maxBytes, isOptional: isBodyOptional }), "body"),
    parts: () => readMultipart(request, endpoint.upload),
    json: () => readJson(request, { maxBytes }),
    headers: request.headers,
    search: searchParams,
    origin: context.origin,
    secure: context.secure,
    signal: context.closed,
  };
  edges.set(call, { request, context });
  return toResponse(await endpoint.handle(call as Call<undefined>), endpoint.status, request, context);
}

/** Answers a call of the API, with HEAD, 405 with `Allow`, and errors as problem+json. */
export async function answerCall(request: Request, context: EdgeContext): Promise<Response> {
  const { pathname } = new URL(request.url);
  try {
    const parts = partsOf(pathname);
    const methods = find(tree, parts);
    if (!methods) return notFoundResponse(pathname, context.requestId);
    const endpoint = endpointOf(methods, request.method);
    const response = await run(endpoint, paramsOf(endpoint, parts), request, context);
    if (request.method !== "HEAD") return response;
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  } catch (error) {
    if (error instanceof Response) return error;
    return problemResponse(error, context.requestId, challenge(error));
  }
}
