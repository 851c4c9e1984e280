import type { IncomingMessage, ServerResponse } from "node:http";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { allowedBy, METHODS } from "~/platform/endpoint/endpoint.shared";
import type { ProgramEndpoint } from "~/platform/endpoint/program.shared";
import { authorise, may } from "~/platform/rights/authorization.server";
import { readToken } from "~/team/members/token.service.server";
import { challenge } from "./authentication.server";
import { DEFAULT_BODY_BYTES } from "./body-limits";
import { type EdgePolicy, type EdgeRequest, optionsHeaders } from "./edge-policy.server";
import { logRequest } from "./log-request.server";
import { assertJson, BODY_LIMIT, drain, readProgramBody } from "./program-body.server";
import { programResponse } from "./program-response.server";
import { type Offered, programTable } from "./programs.server";

interface Found {
  definition: Offered;
  /** The path's open last part, still encoded. */
  rest: string;
}

/** Grace period for a stream to report a revoked token. */
const REVOKED_GRACE_MS = 1000;

function find(path: string): Found | undefined {
  const own = programTable().get(path);
  if (own) return { definition: own, rest: "" };
  let best: Found | undefined;
  for (const definition of programTable().values()) {
    const { stem } = definition;
    if (stem === undefined || !path.startsWith(stem) || path.length === stem.length) continue;
    if (!best || definition.path.length > best.definition.path.length)
      best = { definition, rest: path.slice(stem.length) };
  }
  return best;
}

const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

interface DescribedRequest extends EdgeRequest {
  policy: EdgePolicy;
  headers: Record<string, string>;
  isCounted?: boolean;
}

function describe(request: IncomingMessage, policy: EdgePolicy): DescribedRequest {
  const described = policy.describe(request);
  const headers = {
    ...policy.headers(described),
    ...policy.contentPolicy(CONTENT_POLICY),
    "cache-control": "no-store",
  };
  return { ...described, policy, headers };
}

/** Never reads a cookie, which would allow cross-site requests. */
function secretOf({ headers }: IncomingMessage): string {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const key = headers["x-api-key"];
  const secret = bearer ?? (typeof key === "string" ? key.trim() : undefined);
  if (secret) return secret;
  throw new AppError("unauthenticated", "Send an API token: Authorization: Bearer qd_… or x-api-key: qd_….");
}

function requireTokenActor(secret: string): Actor {
  const actor = readToken(secret);
  if (!actor) throw new AppError("unauthenticated", "The API token is invalid or expired. Create a new one.");
  return actor;
}

function decode(rest: string): string {
  try {
    return decodeURIComponent(rest);
  } catch (cause) {
    throw new AppError("invalid", "The address is malformed.", { cause });
  }
}

function isPublic(definition: Offered): boolean {
  const endpoints = METHODS.flatMap((method) => definition[method] ?? []);
  return endpoints.length > 0 && endpoints.every(({ access }) => access === "public");
}

/** @throws AppError `not_found`, `method_not_allowed` */
function endpointOf({ definition, rest }: Found, { method }: DescribedRequest): ProgramEndpoint {
  const allow = allowedBy(definition);
  if (!allow) throw new AppError("not_found", `${definition.path.slice(0, -1)}${rest} not found.`);
  const name = METHODS.find((one) => one === (method === "HEAD" ? "GET" : method));
  const endpoint = name && definition[name];
  if (endpoint) return endpoint;
  throw new AppError("method_not_allowed", `${definition.path} supports ${allow}, not ${method}.`, { allow });
}

/** @throws AppError `rate_limited` */
function countRate(described: DescribedRequest, actor: Actor | undefined): void {
  described.isCounted = true;
  const rate = described.policy.count(described, actor);
  Object.assign(described.headers, rate.headers);
  if (rate.refusal) throw rate.refusal;
}

async function run(
  request: IncomingMessage,
  response: ServerResponse,
  match: Found,
  described: DescribedRequest,
): Promise<void> {
  const { requestId, address, method, url } = described;
  const controller = new AbortController();
  let freeMemory = () => {};
  let stopWatching = () => {};
  response.once("close", () => {
    stopWatching();
    freeMemory();
    if (!response.writableFinished)
      controller.abort(new AppError("cancelled", "The client closed the connection."));
  });
  const read = (limit: number) =>
    readProgramBody(request, limit, (release) => {
      freeMemory = release;
    });
  const call = {
    method,
    requestId,
    headers: request.headers,
    rest: decode(match.rest),
    get query() {
      const start = url.indexOf("?");
      return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
    },
    signal: controller.signal,
    readBody: async () => {
      assertJson(request);
      return read(BODY_LIMIT);
    },
    readRaw: async () => read(DEFAULT_BODY_BYTES),
    response: programResponse(response, {
      headers: described.headers,
      signal: controller.signal,
      onComplete: () => freeMemory(),
    }),
  };
  if (isPublic(match.definition)) {
    countRate(described, undefined);
    const endpoint = endpointOf(match, described);
    if (endpoint.access === "public") return endpoint.handle(call);
  }
  const secret = secretOf(request);
  const actor = { ...requireTokenActor(secret), requestId, address };
  countRate(described, actor);
  const endpoint = endpointOf(match, described);
  if (endpoint.access === "public") return endpoint.handle(call);
  const { access } = endpoint;
  authorise(actor, access);
  stopWatching = onAccessChanged((userId) => {
    if (userId !== actor.userId) return;
    const still = readToken(secret);
    if (still && may(still, access)) return;
    controller.abort(new AppError("unauthenticated", "The API token is no longer valid. Create a new one."));
    setTimeout(() => response.destroy(), REVOKED_GRACE_MS).unref();
  });
  await endpoint.handle({ ...call, actor });
}

function refuse(
  response: ServerResponse,
  definition: Offered,
  { requestId, headers }: DescribedRequest,
  thrown: unknown,
): void {
  const error = explainStorageFault(thrown);
  const appError = error instanceof AppError ? error : undefined;
  if (!appError) log.error("unexpected error", { error, requestId });
  if (response.headersSent || response.destroyed) return void response.destroy();
  const {
    status,
    body,
    contentType = "application/json",
  } = definition.refuse(
    appError ??
      new AppError(
        "internal",
        "Something went wrong on the server. Find the reason in its log by the request ID.",
      ),
    requestId,
  );
  if (appError?.allow) response.setHeader("allow", appError.allow);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(text)),
    ...(appError?.retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(appError.retryAfter)) }),
    ...challenge(error),
  });
  response.end(text);
}

/**
 * Answers the calls of programs.
 * @param started when the request came, from `performance.now()`
 * @returns false for other requests, which Express handles
 */
export function programListener(
  request: IncomingMessage,
  response: ServerResponse,
  policy: EdgePolicy,
  started: number,
): boolean {
  const path = request.url?.split("?", 1)[0] ?? "";
  const match = find(path);
  if (!match) return false;
  handle(request, response, policy, match, path, started);
  return true;
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  policy: EdgePolicy,
  match: Found,
  path: string,
  started: number,
): void {
  const { definition } = match;
  const described = describe(request, policy);
  const { requestId, headers } = described;
  response.once("close", () => logRequest(requestId, request.method, path, response.statusCode, started));
  // The unread body would block the connection's next request.
  response.once("finish", () => drain(request));
  const verdict = policy.check(described);
  if (verdict.kind === "redirect") response.writeHead(308, { ...headers, location: verdict.location }).end();
  else if (verdict.kind === "options")
    response.writeHead(204, { ...headers, ...optionsHeaders(headers, allowedBy(definition)) }).end();
  else if (verdict.kind === "refuse") refuse(response, definition, described, verdict.error);
  else
    run(request, response, match, described).catch((error: unknown) => {
      // Invalid tokens count by address, which limits guessing.
      const isUnknown = error instanceof AppError && error.code === "unauthenticated" && !described.isCounted;
      const rate = isUnknown ? policy.count(described, undefined) : undefined;
      Object.assign(headers, rate?.headers);
      refuse(response, definition, described, rate?.refusal ?? error);
    });
}
