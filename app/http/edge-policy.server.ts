import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Actor } from "~/core/actor";
import { basePath } from "~/core/base-path";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { RateLimiter, type RateVerdict } from "~/core/rate-limiter.server";
import { readUnlessDamaged } from "~/core/storage-faults.server";
import type { SettingsOf } from "~/platform/settings/groups/index.schema";
import { performance } from "~/platform/settings/groups/performance.schema";
import { security } from "~/platform/settings/groups/security.schema";
import { installationOrgId, readSettings } from "~/platform/settings/settings.service.server";
import { isStandby } from "~/team/backups/standby.service.server";
import { countOf } from "~/ui/format";

/** `rateLimit`: API calls and changes a minute per user, token or address. */
export type EdgeSettings = Pick<
  SettingsOf<"performance">,
  "rateLimitEnabled" | "rateLimit" | "enableCompression"
> &
  Pick<SettingsOf<"security">, "enableCSP" | "enableCORS" | "corsOrigins" | "enforceHttps">;

const EDGE_DEFAULTS: EdgeSettings = { ...performance.values.parse({}), ...security.values.parse({}) };

/**
 * What the edge applies to every request, from memory; defaults before setup, and while their table is damaged, so that
 * the console can say so.
 */
export const readEdgeSettings = (): EdgeSettings =>
  readUnlessDamaged(() => {
    const orgId = installationOrgId();
    if (orgId === undefined) return EDGE_DEFAULTS;
    return { ...readSettings(orgId, "performance"), ...readSettings(orgId, "security") };
  }, EDGE_DEFAULTS);

export interface EdgeRequest {
  method: string;
  path: string;
  url: string;
  host: string;
  origin: string | undefined;
  requestId: string;
  address: string;
  /** Whether links, cookies and origins use HTTPS. */
  secure: boolean;
  plain: boolean;
}

type Headers = Record<string, string>;

type Verdict =
  | { kind: "pass" }
  | { kind: "options" }
  | { kind: "redirect"; location: string }
  | { kind: "refuse"; error: AppError };

const WINDOW = 60_000;
const YEAR = 31_536_000;
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const API = /^\/(?:api|v1)(?:\/|$)/;
/** Exempt, for probes. */
const HEALTH: ReadonlySet<string> = new Set(["/api/health", "/healthz", "/readyz"]);

/** What a standby takes beside reading: signing in and out, and the take-over. */
const OF_STANDBY =
  /^\/(?:login(?:\/.*)?|logout|standby|theme|api\/(?:login|logout|auth\/passkey\/options|system\/take-over))\/?$/;
const HELD = "This console is a standby: it can be read, and refuses changes until an owner takes over.";

const CORS: Headers = {
  // Never with credentials: other origins need an API token.
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, X-Conversation-Id, Link, Location, RateLimit, RateLimit-Policy, Retry-After",
};
export const ALL_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const PREFLIGHT: Headers = {
  "access-control-allow-methods": ALL_METHODS,
  "access-control-allow-headers":
    "Authorization, Content-Type, Accept, X-Api-Key, Anthropic-Version, Anthropic-Beta, Last-Event-ID",
  "access-control-max-age": "600",
};

/** A URL would resolve these parts, and what answers would be another address than the one that was looked at here. */
const AMBIGUOUS = /\\|[\t\n\r]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
/** Methods that `fetch` and so Remix can't carry. */
const IMPOSSIBLE = new Set(["CONNECT", "TRACE", "TRACK"]);

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
const listOf = (value: string | string[] | undefined) =>
  String(value ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/** The address before the trusted proxies. */
function clientAddress({ socket, headers }: IncomingMessage): string {
  const chain = [socket.remoteAddress ?? "unknown", ...listOf(headers["x-forwarded-for"]).reverse()];
  return chain[Math.min(env().TRUST_PROXY, chain.length - 1)] ?? "unknown";
}

/** @returns undefined if only the public address is known */
function usedHttps({ socket, headers }: IncomingMessage): boolean | undefined {
  const [forwarded] = listOf(first(headers["x-forwarded-proto"]));
  if (env().TRUST_PROXY > 0 && forwarded) return forwarded === "https";
  return (socket as Partial<TLSSocket>).encrypted ? true : undefined;
}

export type EdgePolicy = ReturnType<typeof createEdgePolicy>;

function rateHeaders(limit: number, { remaining, resetMs }: RateVerdict): Headers {
  return {
    "ratelimit-policy": `"default";q=${limit};w=${WINDOW / 1000}`,
    ratelimit: `"default";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

/** `Vary` keeps caches from reusing a response for another origin. */
function corsHeaders(allowed: string, origin: string | undefined): Headers {
  if (allowed === "") return CORS;
  const isAllowed = origin !== undefined && allowed.split(/\s+/).includes(origin);
  return isAllowed ? { ...CORS, "access-control-allow-origin": origin, vary: "Origin" } : { vary: "Origin" };
}

export function createEdgePolicy(settings: () => Readonly<EdgeSettings>) {
  const limiter = new RateLimiter();
  const isPublicHttps = () => env().PUBLIC_URL?.startsWith("https:") ?? false;
  return {
    describe(request: IncomingMessage): EdgeRequest {
      const https = usedHttps(request);
      const { url = "/", method = "GET", headers } = request;
      return {
        method,
        path: url.split("?", 1)[0] ?? "",
        url,
        host: headers.host ?? "localhost",
        origin: headers.origin,
        requestId: newId("req"),
        address: clientAddress(request),
        secure: https === true || isPublicHttps(),
        plain: !(https ?? isPublicHttps()),
      };
    },
    headers({ requestId, path, secure, origin }: EdgeRequest): Headers {
      const { enableCORS, corsOrigins, enforceHttps } = settings();
      const isStrict = isPublicHttps() || (enforceHttps && secure);
      return {
        "x-request-id": requestId,
        // As Anthropic's clients read it.
        ...(path.startsWith("/v1/") ? { "request-id": requestId } : {}),
        "x-content-type-options": "nosniff",
        ...(isStrict ? { "strict-transport-security": `max-age=${YEAR}` } : {}),
        ...(enableCORS && API.test(path) ? corsHeaders(corsOrigins, origin) : {}),
      };
    },
    check({ method, path, plain, host, url }: EdgeRequest): Verdict {
      if (AMBIGUOUS.test(path))
        return { kind: "refuse", error: new AppError("invalid", "The address is malformed.") };
      if (IMPOSSIBLE.has(method)) {
        const message = `The console doesn't answer ${method}.`;
        return { kind: "refuse", error: new AppError("method_not_allowed", message, { allow: ALL_METHODS }) };
      }
      if (plain && !HEALTH.has(path) && settings().enforceHttps) {
        // HTTPS uses the default port unless there is a public address.
        const own = `https://${host.replace(/:\d+$/, "")}${basePath()}`;
        const origin = isPublicHttps() ? env().PUBLIC_URL : own;
        const location = `${origin}${url.startsWith("/") ? url : "/"}`;
        if (method === "GET" || method === "HEAD") return { kind: "redirect", location };
        const error = new AppError("forbidden", "This console requires HTTPS. Use an https:// address.");
        return { kind: "refuse", error };
      }
      return { kind: method === "OPTIONS" ? "options" : "pass" };
    },
    /** `own` as a header, or none if the policy is disabled. */
    contentPolicy(own: string): Headers {
      return settings().enableCSP ? { "content-security-policy": own } : {};
    },
    compresses: () => settings().enableCompression,
    /** Applies the rate limit, and the standby's. @returns rate limit headers, and an error if exceeded */
    count(
      { method, path, address }: EdgeRequest,
      who: Pick<Actor, "userId" | "tokenId" | "gateway"> | undefined,
    ): { headers: Headers; refusal?: AppError } {
      if (isStandby() && !SAFE.has(method) && !OF_STANDBY.test(path))
        return { headers: {}, refusal: new AppError("unavailable", HELD) };
      const { rateLimitEnabled, rateLimit } = settings();
      const isCounted = (API.test(path) && !HEALTH.has(path) && method !== "OPTIONS") || !SAFE.has(method);
      // A token's own limit replaces the general one at the gateway.
      const hasOwn = path.startsWith("/v1") && who?.gateway?.requestsPerMinute != null;
      if (!rateLimitEnabled || !isCounted || hasOwn) return { headers: {} };
      const key = who ? `${who.tokenId ?? who.userId}` : `address:${address}`;
      const verdict = limiter.take(key, { limit: rateLimit, windowMs: WINDOW });
      const headers = rateHeaders(rateLimit, verdict);
      if (verdict.allowed) return { headers };
      const retryAfter = Math.ceil(verdict.retryMs / 1000);
      const message = `The limit of ${countOf(rateLimit, "request")} per minute is reached. Try again in ${retryAfter} s.`;
      const refusal = new AppError("rate_limited", message, { retryAfter });
      return { headers: { ...headers, "retry-after": String(retryAfter) }, refusal };
    },
  };
}

export function optionsHeaders(policyHeaders: Headers, allow: string): Headers {
  const isOpen = "access-control-allow-origin" in policyHeaders;
  return { allow, ...(isOpen ? PREFLIGHT : {}) };
}

/** Whether a path has no forms: a request without a cookie can use no session there, and its errors are no pages. */
export const isForPrograms = (path: string): boolean => /^\/(?:api\/|v1\/|mcp\/*$)/.test(path);

interface OriginRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/**
 * Refuses cross-site changes with cookies, by `Sec-Fetch-Site` and `Origin`. Requests with a bearer token
 * or without a session need no check.
 * @throws AppError `forbidden`
 */
export function assertSameOrigin({ method, path, headers }: OriginRequest): void {
  if (SAFE.has(method)) return;
  // Only a token: with an empty or other header the cookie may still sign in.
  if (/^Bearer\s+\S/i.test(first(headers.authorization) ?? "")) return;
  if (isForPrograms(path) && headers.cookie === undefined) return;
  const origin = first(headers.origin);
  const own = [first(headers.host), hostOf(env().PUBLIC_URL ?? "")];
  if (origin !== undefined) {
    const host = hostOf(origin);
    if (host !== undefined && own.includes(host)) return;
  } else if (first(headers["sec-fetch-site"]) === "same-origin") return;
  throw new AppError(
    "forbidden",
    "This request came from another site and was refused. Open the console and try again.",
  );
}
