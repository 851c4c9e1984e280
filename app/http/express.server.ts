import { randomBytes } from "node:crypto";
import type { RequestListener } from "node:http";
import { resolve } from "node:path";
import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import compression from "compression";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import helmet from "helmet";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import type { EdgeContext } from "./context";
import { directListener } from "./direct-listener.server";
import { checkAddress } from "./host.server";
import { limitBody } from "./limit-body.server";
import { logRequest } from "./log-request.server";
import { assertSameOrigin } from "./same-origin.server";
import { sendProblem } from "./send-problem.server";

export interface EdgeOptions {
  /** The current server build; in development it changes. */
  loadBuild: () => Promise<ServerBuild>;
  /** The project's root, where build/client lies. */
  root: string;
  /** Vite's middleware, in development only. */
  developmentMiddleware?: RequestHandler;
}

function isSecure(request: Request): boolean {
  return request.secure || (env().PUBLIC_URL?.startsWith("https:") ?? false);
}

/** Ids, nonce and the abort of each request, and its line in the log. */
const describeRequest: RequestHandler = (request, response, next) => {
  const started = performance.now();
  const leaving = new AbortController();
  const secure = isSecure(request);
  const context: EdgeContext = {
    cspNonce: randomBytes(16).toString("base64"),
    requestId: newId("req"),
    address: request.ip ?? "unknown",
    secure,
    origin: env().PUBLIC_URL ?? `${secure ? "https" : "http"}://${request.headers.host ?? "localhost"}`,
    closed: leaving.signal,
    waiting: () => response.writableLength,
    cutOff: () => void response.destroy(),
    retryAfter: (seconds) => void response.set("Retry-After", String(Math.ceil(seconds))),
  };
  response.locals.context = context;
  response.set("X-Request-Id", context.requestId);
  response.on("close", () => {
    leaving.abort();
    logRequest(context.requestId, request.method, request.path, response.statusCode, started);
  });
  next();
};

function securityHeaders(development: boolean): RequestHandler {
  const issuer = env().OAUTH_ISSUER;
  const nonce = (_: unknown, response: unknown) =>
    `'nonce-${((response as Response).locals.context as EdgeContext).cspNonce}'`;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'", nonce],
        "style-src": ["'self'", development ? "'unsafe-inline'" : nonce],
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'", ...(development ? ["ws:"] : [])],
        "manifest-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        // Signing out goes on to the provider's end_session, which browsers count as the form's target.
        "form-action": ["'self'", ...(issuer ? [new URL(issuer).origin] : [])],
      },
    },
    // Without a referrer browsers send `Origin: null` with forms, which no same-origin check could let through.
    referrerPolicy: { policy: "same-origin" },
    strictTransportSecurity: env().PUBLIC_URL?.startsWith("https:") ? { maxAge: 31_536_000 } : false,
    crossOriginEmbedderPolicy: false,
  });
}

const checkOrigin: RequestHandler = (request, _response, next) => {
  assertSameOrigin({ method: request.method, path: request.path, headers: request.headers });
  // Remix would compare it with the Host header, which a proxy may have replaced by its own.
  delete request.headers.origin;
  next();
};

const answerOptions: RequestHandler = (request, response, next) => {
  if (request.method !== "OPTIONS") return next();
  response.set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE").status(204).end();
};

/** Express's own refusals as ours: a file that isn't there, or an address that can't be decoded. */
function knownError(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !("status" in error)) return error;
  const { status } = error;
  if (status === 404) return new AppError("not_found", `There is no ${path}.`, { cause: error });
  const refusal = typeof status === "number" && status >= 400 && status < 500;
  return refusal ? new AppError("invalid", "The request is malformed.", { cause: error }) : error;
}

const answerErrors: ErrorRequestHandler = (error, request, response, _next) =>
  sendProblem(response, knownError(error, request.path));

/** Remembers the last answer: making Remix's handler works out all routes, which takes as long as a small request. */
function keepLast<In, Out>(make: (input: In) => Out): (input: In) => Out {
  let last: { input: In; output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: make(input) };
    return last.output;
  };
}

/** The HTTP edge: what is answered without Remix, and everything that holds for every other request. */
export function createEdge(options: EdgeOptions): RequestListener {
  const app = createApp(options);
  return (request, response) => {
    if (!directListener(request, response)) app(request, response);
  };
}

function createApp({ loadBuild, root, developmentMiddleware }: EdgeOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", env().TRUST_PROXY);
  app.use(describeRequest);
  app.use(securityHeaders(developmentMiddleware !== undefined));
  app.use(compression());
  if (developmentMiddleware) app.use(developmentMiddleware);
  else {
    const client = resolve(root, "build/client");
    app.use(
      "/assets",
      express.static(resolve(client, "assets"), { immutable: true, maxAge: "1y", fallthrough: false }),
    );
    app.use(express.static(client, { maxAge: "1h", index: false }));
  }
  app.use(checkAddress, answerOptions, limitBody, checkOrigin);
  const handlerOf = keepLast((build: ServerBuild) =>
    createRequestHandler({
      build,
      mode: developmentMiddleware ? "development" : "production",
      getLoadContext: (_, response) => ({ ...(response.locals.context as EdgeContext) }),
    }),
  );
  app.all("*", async (request, response, next) => handlerOf(await loadBuild())(request, response, next));
  app.use(answerErrors);
  return app;
}
