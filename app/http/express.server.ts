import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { basename, extname, resolve } from "node:path";
import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import compression from "compression";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import helmet from "helmet";
import { basePath, withBase, withoutBase } from "~/core/base-path";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { reportRequest, setRouteMatcher } from "~/core/telemetry.server";
import { inTrace, newSpan, readTrace, type TraceSpan } from "~/core/trace-context.server";
import { readToken } from "~/team/members/token.service.server";
import { apiDoor, apiTable, programDoor, routeMatcher } from "./api.server";
import { readEdgeActor } from "./authentication.server";
import { serveManifest, withBasePath } from "./base-path.server";
import { contentPolicy, DEVICE_POLICY, fixedPolicy, isAsset } from "./content-policy.server";
import { type EdgeContext, noteRequest, requestOf } from "./context.server";
import {
  ALL_METHODS,
  assertSameOrigin,
  createEdgePolicy,
  type EdgePolicy,
  type EdgeSettings,
  isForPrograms,
  optionsHeaders,
} from "./edge-policy.server";
import { createSlowBodyLimit, drain, limitBody } from "./request-body.server";
import { sendProblem, sendResponse, setHeaders } from "./send-response.server";

/** Requests started in one turn of the event loop; fewer make SQLite's commits less shared. */
const PER_TURN = 4;

const waiting: (() => void)[] = [];
let started = 0;
let isScheduled = false;

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(startNext);
}

function startNext(): void {
  isScheduled = false;
  started = 0;
  while (started < PER_TURN) {
    const start = waiting.shift();
    if (!start) return;
    started++;
    schedule();
    start();
  }
}

/** Runs `start`, at once or in a later turn: of many requests that came together, the first then answer early. */
export function startInTurn(start: () => void): void {
  if (waiting.length > 0 || started === PER_TURN) {
    waiting.push(start);
    return;
  }
  started++;
  schedule();
  start();
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Remix builds a URL from the Host header and the path. @throws AppError `invalid` if they aren't one */
const checkAddress: RequestHandler = (request, _response, next) => {
  const { host = "localhost" } = request.headers;
  const forwarded = request.hostname ?? "localhost";
  const isHost = [host, forwarded].every((name) => HOST.test(name) && URL.canParse(`http://${name}`));
  if (!isHost) throw new AppError("invalid", "The Host header is invalid.");
  if (!request.originalUrl.startsWith("/") || !URL.canParse(`http://localhost${request.originalUrl}`))
    throw new AppError("invalid", "The address must be a path.");
  next();
};

export interface EdgeOptions {
  loadBuild: () => Promise<ServerBuild>;
  /** The project's root, where build/client lies. */
  root: string;
  settings: () => Readonly<EdgeSettings>;
  developmentMiddleware?: RequestHandler;
}

const CLOSED = new AppError("cancelled", "The client closed the connection.");

/** Notes what is known of a request, and answers it at once if the policy does. @returns whether it did */
function beginRequest(policy: EdgePolicy, development: boolean) {
  return (
    request: IncomingMessage,
    response: ServerResponse,
    { started, trace }: { started: number; trace: TraceSpan | undefined },
  ): boolean => {
    const controller = new AbortController();
    const described = policy.describe(request);
    const { requestId, method, address, secure, path } = described;
    const context: EdgeContext = {
      cspNonce: randomBytes(16).toString("base64"),
      requestId,
      address,
      secure,
      origin: env().PUBLIC_URL ?? `${secure ? "https" : "http"}://${request.headers.host ?? "localhost"}`,
      closed: controller.signal,
      afterwards: (run) => void response.once("close", run),
      waiting: () => response.writableLength,
      cutOff: () => void response.destroy(),
      retryAfter: (seconds) => void response.setHeader("Retry-After", String(Math.ceil(seconds))),
    };
    noteRequest(response, { context, described });
    const headers = policy.headers(described);
    setHeaders(response, headers);
    const fixed = fixedPolicy(path);
    if (fixed !== undefined) setHeaders(response, fixed);
    else {
      setHeaders(response, policy.contentPolicy(contentPolicy(context.cspNonce, development)));
      setHeaders(response, DEVICE_POLICY);
    }
    response.on("close", () => {
      controller.abort(CLOSED);
      const status = response.statusCode;
      reportRequest({ requestId, method, status, trace }, path, started);
      const durationMs = Math.round(performance.now() - started);
      log.info("request", { requestId, method, path: loggablePath(path), status, durationMs });
    });
    const verdict = policy.check(described);
    if (verdict.kind === "pass") return false;
    // Node would discard a body that never ends for ever.
    drain(request);
    if (verdict.kind === "redirect") response.writeHead(308, { Location: verdict.location }).end();
    else if (verdict.kind === "options") {
      const allow = apiDoor().allowedAt(path) ?? ALL_METHODS;
      response.writeHead(204, optionsHeaders(headers, allow)).end();
    } else {
      const { programOf, refuse } = apiDoor();
      void sendResponse(response, refuse(programOf(path), verdict.error, context));
    }
    return true;
  };
}

const otherHeaders = helmet({
  contentSecurityPolicy: false,
  strictTransportSecurity: false,
  // Without a referrer browsers send `Origin: null` with forms, which no same-origin check could let through.
  referrerPolicy: { policy: "same-origin" },
  crossOriginEmbedderPolicy: false,
});

function countRequest(policy: EdgePolicy): RequestHandler {
  return (request, response, next) => {
    const { context, described } = requestOf(response);
    const { headers, refusal } = policy.count(described, readEdgeActor(request.headers, context));
    setHeaders(response, headers);
    if (refusal && isForPrograms(described.path)) return sendProblem(response, refusal);
    if (refusal) context.refusal = refusal;
    next();
  };
}

const checkOrigin: RequestHandler = (request, _response, next) => {
  assertSameOrigin({ method: request.method, path: request.path, headers: request.headers });
  // A proxy may have replaced the Host header that Remix compares it with.
  delete request.headers.origin;
  next();
};

/**
 * Names the gateway's base URL to a program that calls it elsewhere, such as without `/v1`: it would get a page, or be
 * refused as a request from another site. No screen takes JSON, no browser sends a key, and no program a cookie.
 */
const refuseElsewhere: RequestHandler = (request, response, next) => {
  const { allowedAt, programOf, refuse } = apiDoor();
  const { method, headers, path } = request;
  const within = `/v1${path}`;
  const isCall =
    method === "GET"
      ? Boolean(headers.authorization ?? headers["x-api-key"]) && allowedAt(within)?.includes("GET")
      : method === "POST" && !isForPrograms(path) && Boolean(request.is("application/json"));
  if (!isCall || headers.cookie !== undefined || programOf(path)) return next();
  const { context } = requestOf(response);
  const base = `${context.origin}/v1`;
  const error = new AppError("not_found", `${path} not found. The gateway's base URL is ${base}.`);
  drain(request);
  void sendResponse(response, refuse(programOf(within), error, context));
};

/** Remix's former protocol, which no page uses: an unknown route in it would be an unexpected error. */
const refuseDataRequests: RequestHandler = (request, _response, next) => {
  const { searchParams } = new URL(request.url, "http://localhost");
  if (!searchParams.has("_data")) return next();
  next(new AppError("not_found", `${request.path} not found.`));
};

/** The router's wildcards match none, so the API would answer with a page. */
const LINE_BREAK = /%(?:0a|0d|e2%80%a[89])/i;

const refuseLineBreaks: RequestHandler = (request, _response, next) =>
  next(
    request.path.startsWith("/api/") && LINE_BREAK.test(request.path)
      ? new AppError("not_found", `${request.path} not found.`)
      : undefined,
  );

function knownError(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !("status" in error)) return error;
  const { status } = error;
  if (status === 404) return new AppError("not_found", `${path} not found.`, { cause: error });
  const refusal = typeof status === "number" && status >= 400 && status < 500;
  return refusal ? new AppError("invalid", "The request is malformed.", { cause: error }) : error;
}

const sendErrors: ErrorRequestHandler = (error, request, response, _next) =>
  sendProblem(response, knownError(error, request.path));

function memoizeLast<In, Out>(make: (input: In) => Out): (input: In) => Out {
  let last: { input: In; output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: make(input) };
    return last.output;
  };
}

/** Repeated headers are joined, which makes them invalid. */
const traceHeadersOf = ({ headers: { traceparent, tracestate } }: IncomingMessage) => ({
  traceparent: traceparent?.toString(),
  tracestate: tracestate?.toString(),
});

export function createEdge(options: EdgeOptions): RequestListener {
  const policy = createEdgePolicy(options.settings);
  const app = createApp(options, policy);
  const begin = beginRequest(policy, options.developmentMiddleware !== undefined);
  const enter = programDoor(policy, ({ callers }) => callers !== undefined);
  const limitSlowBody = createSlowBodyLimit({
    strangerOf: (request) => {
      const { address, secure } = policy.describe(request);
      const key = request.headers["x-api-key"];
      const hasToken = typeof key === "string" && readToken(key.trim()) !== undefined;
      return hasToken || readEdgeActor(request.headers, { secure }) ? undefined : address;
    },
  });
  return (request, response) => {
    // Before it waits for its turn.
    const started = performance.now();
    request.url = withoutBase(request.url ?? "/");
    limitSlowBody(request, response);
    const trace = newSpan(readTrace(traceHeadersOf(request)));
    const start = () => {
      if (response.destroyed || begin(request, response, { started, trace })) return;
      if (!enter(request, response)) app(request, response);
    };
    startInTurn(() => inTrace(trace, start));
  };
}

/** Other sites load the script that puts a widget on them. */
function allowEmbedding(response: ServerResponse, path: string): void {
  if (basename(path) === "widget.js") response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
}

/** As Remix reads it: below a base path the data of its root stand beside it. */
function remixAddress(url: string): string {
  return withBase(basePath() === "" ? url : url.replace(/^\/_root\.data(?=\?|$)/, ".data"));
}

function createApp({ loadBuild, root, developmentMiddleware }: EdgeOptions, policy: EdgePolicy): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", env().TRUST_PROXY);
  app.use((request, response, next) =>
    isAsset(request.path) ? next() : otherHeaders(request, response, next),
  );
  app.use(
    compression({
      filter: (request, response) => policy.compresses() && compression.filter(request, response),
    }),
  );
  if (developmentMiddleware) app.use(developmentMiddleware);
  else {
    const client = resolve(root, "build/client");
    app.get("/assets/*", serveManifest(loadBuild));
    app.use("/assets", serveAssets(resolve(client, "assets"), policy.compresses));
    app.use(express.static(client, { maxAge: "1h", index: false, setHeaders: allowEmbedding }));
  }
  app.use(
    checkAddress,
    refuseElsewhere,
    refuseDataRequests,
    refuseLineBreaks,
    limitBody,
    checkOrigin,
    countRequest(policy),
  );
  const enter = programDoor(policy, ({ callers }) => callers === undefined);
  app.use((request, response, next) => {
    if (!enter(request, response)) next();
  });
  const handlerOf = memoizeLast((built: ServerBuild) => {
    const build = withBasePath(built);
    setRouteMatcher(routeMatcher(build, apiTable().values()));
    return createRequestHandler({
      build,
      mode: developmentMiddleware ? "development" : "production",
      getLoadContext: (_, response) => ({ ...requestOf(response).context }),
    });
  });
  void loadBuild().then(handlerOf);
  app.all("*", async (request, response, next) => {
    request.originalUrl = remixAddress(request.url);
    handlerOf(await loadBuild())(request, response, next);
  });
  app.use(sendErrors);
  return app;
}

export type OpenRequests = ReturnType<typeof countOpen>;

export function countOpen() {
  const open = new Set<ServerResponse>();
  let onEmpty: (() => void) | undefined;
  return {
    counted:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        open.add(response);
        response.once("close", () => {
          open.delete(response);
          if (open.size === 0) onEmpty?.();
        });
        listener(request, response);
      },
    /** Resolves when all requests ended, or closes their connections after the time limit. @param timeoutMs in ms */
    async drained(timeoutMs: number): Promise<void> {
      if (open.size === 0) return;
      const timer = setTimeout(() => {
        for (const response of open) response.destroy();
      }, timeoutMs);
      await new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      clearTimeout(timer);
    },
  };
}

const SECRET_LINK = /^\/+(invite|approve|form|shared|api\/+hooks)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Removes the secret at the end of a link's or webhook's path. */
export function loggablePath(path: string): string {
  const link = SECRET_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase().replace(/\/+/, "/")}/***` : path;
}

const ENCODINGS = [
  { token: "br", extension: ".br" },
  { token: "gzip", extension: ".gz" },
] as const;

function serveAssets(folder: string, compresses: () => boolean): RequestHandler {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
  const serve = express.static(folder, { immutable: true, maxAge: "1y", fallthrough: false, index: false });
  return (request, response, next) => {
    const name = request.path.slice(1);
    // Public files; a sandboxed frame has an origin of its own and loads its script from here.
    response.set("Access-Control-Allow-Origin", "*");
    if (/\.(?:br|gz)$/.test(name) || !files.has(`${name}.br`)) return serve(request, response, next);
    response.vary("Accept-Encoding");
    const encoding = compresses()
      ? ENCODINGS.find(
          ({ token, extension }) => request.acceptsEncodings(token) && files.has(name + extension),
        )
      : undefined;
    if (encoding) {
      response.set("Content-Encoding", encoding.token);
      response.type(extname(name));
      request.url = `/${name}${encoding.extension}`;
    }
    serve(request, response, next);
  };
}
