import { Dispatcher, setGlobalDispatcher } from "undici";
import { env } from "~/core/env.server";
import { now, steadyNow } from "../clock.server";
import { AppError } from "../errors";
import { log } from "../log.server";
import { kept } from "../process.server";
import { outgoingTrace } from "../trace-context.server";
import {
  type EgressCall,
  type GuardedSocketOptions,
  type GuardSources,
  guardedAgent,
  openSocket,
  portOf,
  type Recorder,
  resolveWithSystem,
  startTls,
} from "./connector.server";
import { EgressRefusal } from "./errors.server";
import {
  type EgressResponse,
  type ExchangeRequest,
  exchange,
  type Limits,
  readRequest,
  USER_AGENT,
} from "./exchange.server";
import { assertDeclared, checkUrl, type EgressAllow, parseEgressAllow } from "./policy.server";

export type { ByteFlow, ByteReceiver, EgressResponse } from "./exchange.server";
export { CONNECTION_HEADERS } from "./exchange.server";
export { parseEgressAllow } from "./policy.server";

let parsed: { from: readonly string[] | undefined; allow: EgressAllow } | undefined;

function operatorAllow(): EgressAllow {
  const from = env().EGRESS_ALLOW;
  if (!parsed || parsed.from !== from) parsed = { from, allow: parseEgressAllow(from) };
  return parsed.allow;
}

let ownerList: EgressAllow = parseEgressAllow();

/** Sets hosts to allow beside EGRESS_ALLOW, for new connections. @throws Error naming the first malformed entry */
export function setOwnerAllow(list: readonly string[]): void {
  ownerList = parseEgressAllow(list, "");
}

const allowed = (): EgressAllow => ({
  permits: (...target) => operatorAllow().permits(...target) || ownerList.permits(...target),
});

let guard: EgressGuard | undefined;

function sharedGuard(): EgressGuard {
  guard ??= createEgressGuard({ allow: allowed, resolve: resolveWithSystem, record: recordCall });
  return guard;
}

export const guardedFetch: EgressGuard["guardedFetch"] = (...call) => sharedGuard().guardedFetch(...call);

export const guardedSend: EgressGuard["guardedSend"] = (...call) => sharedGuard().guardedSend(...call);

export { startTls };

/**
 * Opens a checked TCP or TLS socket, such as for SMTP or PostgreSQL.
 * @throws AppError `egress_refused`, `provider_unavailable`, `provider_timeout`
 */
export const openGuardedSocket: EgressGuard["openSocket"] = (options) => sharedGuard().openSocket(options);

const operatorOrigins = new Set<string>();

/** Allows the process's other fetches to reach an operator's origin, such as OAUTH_ISSUER. */
export function allowOperatorOrigin(address: string): void {
  operatorOrigins.add(new URL(address).origin);
}

class GuardingDispatcher extends Dispatcher {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return sharedGuard().dispatcher(String(options.origin), operatorOrigins).dispatch(options, handler);
  }
}

/**
 * Guards Node's own `fetch` too, so that libraries can't bypass the guard. A refusal is the cause of fetch's TypeError.
 * @throws Error naming the malformed entry of EGRESS_ALLOW
 */
export function installEgressGuard(): void {
  operatorAllow();
  setGlobalDispatcher(new GuardingDispatcher());
}

const MAX_RECORDED = 500;

function reasonOf(error: unknown): string {
  if (error instanceof EgressRefusal) return error.reason;
  return error instanceof AppError ? error.message : "the connection failed";
}

const recorded = () => kept("egress calls", (): EgressCall[] => []);

const recordCall: Recorder = ({ error, ...call }) => {
  const calls = recorded();
  calls.push({ at: now(), ...call, ...(error === undefined ? {} : { reason: reasonOf(error) }) });
  if (calls.length > MAX_RECORDED) calls.shift();
};

export function recordedCalls(): EgressCall[] {
  return recorded().toReversed();
}

export interface EgressOptions {
  /** Total time limit including redirects and body (ms); 0 for none. Default 120,000. */
  timeoutMs?: number;
  /** Maximum silence before and within the response (ms). Default 60,000. */
  silenceMs?: number;
  /** Maximum size of the decoded response body. Default 10,000,000. */
  maxBytes?: number;
  /** Default and maximum 5; more throw AppError `provider_unavailable`. */
  maxRedirects?: number;
  /** URLs entered by an admin may be private. Link-local and metadata addresses stay blocked. */
  allowOrigins?: readonly string[];
  /** The caller's declared hosts (`host`, `host:port`, `*.suffix`); others are refused, also in redirects. */
  hosts?: readonly string[];
  /** Additional secret headers; a redirect to another origin drops them. */
  secretHeaders?: readonly string[];
  /** Sends the current trace on, unless the call has a `traceparent` of its own. */
  sendsTrace?: boolean;
}

const MAX_REDIRECTS = 5;

/** Skips parsing and web streams, for hot paths. */
export type GuardedSend = (
  request: {
    url: URL;
    method: string;
    headers: Record<string, string>;
    body?: string | Uint8Array | undefined;
  },
  signal: AbortSignal,
) => Promise<EgressResponse>;

export type EgressGuard = ReturnType<typeof createEgressGuard>;

function originsOf(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.filter((item) => URL.canParse(item)).map((item) => new URL(item).origin));
}

const DEFAULT_HEADERS = { accept: "*/*", "user-agent": USER_AGENT, "accept-encoding": "identity" };

function toResponse(received: EgressResponse, url: URL, redirected: boolean): Response {
  const { status, statusText, headers } = received;
  const response = new Response(received.stream(), { status, statusText, headers });
  // The Response constructor can't set these.
  Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
  return response;
}

export function createEgressGuard(sources: GuardSources) {
  const { record = () => undefined } = sources;
  const agents = { public: guardedAgent("public", sources), named: guardedAgent("named", sources) };
  const dispatcher = (origin: string, allowed: ReadonlySet<string>): Dispatcher =>
    allowed.has(origin) ? agents.named : agents.public;

  function sender(purpose: string, options: EgressOptions) {
    const { timeoutMs: total = 120_000, silenceMs = 60_000, maxBytes = 10_000_000 } = options;
    const allowed = originsOf(options.allowOrigins ?? []);
    const hops = Math.min(options.maxRedirects ?? MAX_REDIRECTS, MAX_REDIRECTS);

    async function send(request: ExchangeRequest, limits: Limits): Promise<EgressResponse> {
      const { url, method } = request;
      const call = { purpose, method, host: url.hostname, port: portOf(url) };
      try {
        checkUrl(url);
        assertDeclared(options.hosts, call.host, call.port);
        const response = await exchange(dispatcher(url.origin, allowed), request, limits);
        log.info("outgoing request", { ...call, status: response.status });
        record({ ...call, verdict: "allowed", status: response.status });
        return response;
      } catch (error) {
        record({ ...call, verdict: error instanceof EgressRefusal ? "refused" : "failed", error });
        if (error instanceof EgressRefusal) {
          const { address, reason } = error;
          log.warn("outgoing request refused", {
            purpose,
            host: call.host,
            port: call.port,
            address,
            reason,
          });
        }
        throw error;
      }
    }

    return async (first: ExchangeRequest, mode: RequestRedirect, signal: AbortSignal | null | undefined) => {
      let request = options.sendsTrace ? withTrace(first) : first;
      const deadline = total > 0 ? steadyNow() + total : 0;
      for (let hop = 0; ; hop++) {
        const timeoutMs = deadline ? Math.max(1, deadline - steadyNow()) : 0;
        const limits = { timeoutMs, silenceMs, maxBytes, signal: signal ?? undefined };
        const response = await send(request, limits);
        const location = mode === "manual" ? null : locationOf(response);
        if (!location) return { response, url: request.url, redirected: hop > 0 };
        response.discard();
        if (mode === "error" || hop >= hops) {
          const isRefused = mode === "error" || hops === 0;
          const why = isRefused ? "redirects, which isn't allowed here" : "redirects too many times";
          throw new AppError("provider_unavailable", `${request.url.host} ${why}.`, { permanent: true });
        }
        request = followRedirect(request, response.status, location, options.secretHeaders ?? []);
      }
    };
  }

  return {
    guardedFetch(purpose: string, options: EgressOptions = {}): typeof fetch {
      const send = sender(purpose, options);
      return async (input, init) => {
        const request = await readRequest(input, init);
        const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        const { response, url, redirected } = await send(request, init?.redirect ?? "follow", signal);
        return toResponse(response, url, redirected);
      };
    },
    guardedSend(purpose: string, options: EgressOptions = {}): GuardedSend {
      const send = sender(purpose, options);
      return async ({ url, method, headers, body }, signal) => {
        const request = { url, method, headers: { ...DEFAULT_HEADERS, ...headers }, body };
        return (await send(request, "follow", signal)).response;
      };
    },
    openSocket: (options: GuardedSocketOptions) => openSocket({ ...sources, record }, options),
    dispatcher,
    close: async () => {
      await Promise.all([agents.public.destroy(), agents.named.destroy()]);
    },
  };
}

function withTrace(request: ExchangeRequest): ExchangeRequest {
  const trace = Object.entries(outgoingTrace());
  const headers = new Headers(request.headers);
  if (trace.length === 0 || headers.has("traceparent")) return request;
  for (const [name, value] of trace) headers.set(name, value);
  return { ...request, headers };
}

const STATUSES = new Set([301, 302, 303, 307, 308]);

/** Credential headers; they never follow a redirect to another origin. */
const CREDENTIALS = [
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
] as const;

const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"] as const;

function locationOf({ status, headers }: EgressResponse): string | null {
  return STATUSES.has(status) ? headers.get("location") : null;
}

function losesBody(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/**
 * Builds the redirected request (Fetch, "HTTP-redirect fetch").
 * @throws AppError for an invalid address or a body that can't be sent again
 */
function followRedirect(
  request: ExchangeRequest,
  status: number,
  location: string,
  secretHeaders: readonly string[],
): ExchangeRequest {
  const { host } = request.url;
  if (!URL.canParse(location, request.url)) {
    throw new AppError("provider_unavailable", `${host} redirects to an invalid address.`, {
      permanent: true,
    });
  }
  const url = new URL(location, request.url);
  const headers = new Headers(request.headers);
  const drop = losesBody(status, request.method);
  if (drop) for (const name of BODY_HEADERS) headers.delete(name);
  const { body } = request;
  if (!drop && body != null && typeof body !== "string" && !(body instanceof Uint8Array)) {
    const message = `${host} redirects this request, but its body can't be sent again.`;
    throw new AppError("provider_unavailable", message, { permanent: true });
  }
  if (url.origin !== request.url.origin) {
    for (const name of [...CREDENTIALS, ...secretHeaders]) headers.delete(name);
  }
  return { url, method: drop ? "GET" : request.method, headers, body: drop ? null : body };
}
