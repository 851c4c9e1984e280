import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { now, steadyNow } from "../clock.server";
import { AppError } from "../errors";
import { kept } from "../kept.server";
import { log } from "../log.server";
import {
  type EgressCall,
  type GuardedSocketOptions,
  guardedAgent,
  openSocket,
  type Recorder,
  type Resolve,
} from "./connector.server";
import { EgressRefusal } from "./errors.server";
import {
  checkUrl,
  type EgressResponse,
  type ExchangeRequest,
  exchange,
  followRedirect,
  isRedirect,
  type Limits,
  readRequest,
  USER_AGENT,
} from "./exchange.server";
import type { EgressAllow } from "./policy.server";
import { assertDeclared } from "./policy.server";

const MAX_RECORDED = 500;

function reasonOf(error: unknown): string {
  if (error instanceof EgressRefusal) return error.reason;
  return error instanceof AppError ? error.message : "the connection failed";
}

const recorded = () => kept("egress calls", (): EgressCall[] => []);

export const recordCall: Recorder = ({ error, ...call }) => {
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
  /**
   * URLs entered by an admin, such as a provider's base URL: they may be private. Link-local and
   * metadata addresses stay blocked.
   */
  allowOrigins?: readonly string[];
  /** The caller's declared hosts (`host`, `host:port`, `*.suffix`); others are refused, also in redirects. */
  hosts?: readonly string[];
  /** Additional secret headers; a redirect to another origin drops them. */
  secretHeaders?: readonly string[];
}

const MAX_REDIRECTS = 5;
const DEFAULTS = { timeoutMs: 120_000, silenceMs: 60_000, maxBytes: 10_000_000 };

interface GuardSources {
  allow: () => EgressAllow;
  resolve: Resolve;
  record?: Recorder;
}

/** Skips parsing and web streams, for hot paths. */
export type GuardedSend = (
  request: { url: URL; method: string; headers: Record<string, string>; body: string | Uint8Array },
  signal: AbortSignal,
) => Promise<EgressResponse>;

/** Fetch's arguments, without its Response: the body is received by callbacks. */
export type RawFetch = (...args: Parameters<typeof fetch>) => Promise<EgressResponse>;

export interface EgressGuard {
  guardedSend(purpose: string, options?: EgressOptions): GuardedSend;
  guardedFetch(purpose: string, options?: EgressOptions): typeof fetch;
  guardedRawFetch(purpose: string, options?: EgressOptions): RawFetch;
  openSocket(options: GuardedSocketOptions): Promise<Socket>;
  dispatcher(origin: string, allowed: ReadonlySet<string>): Dispatcher;
  close(): Promise<void>;
}

function originsOf(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.filter((item) => URL.canParse(item)).map((item) => new URL(item).origin));
}

function locationOf({ status, headers }: EgressResponse): string | null {
  return isRedirect(status, headers) ? headers.get("location") : null;
}

const DEFAULT_HEADERS = { "user-agent": USER_AGENT, "accept-encoding": "identity" };

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

function logRefusal(purpose: string, url: URL, error: unknown): void {
  if (!(error instanceof EgressRefusal)) return;
  const { reason, address } = error;
  log.warn("outgoing request refused", {
    purpose,
    host: url.hostname,
    port: portOf(url),
    address,
    reason,
  });
}

function toResponse(received: EgressResponse, url: URL, redirected: boolean): Response {
  const { status, statusText, headers } = received;
  const response = new Response(received.stream(), { status, statusText, headers });
  // The Response constructor can't set these.
  Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
  return response;
}

/** Creates a guard with one connection pool per policy. */
export function createEgressGuard(sources: GuardSources): EgressGuard {
  const { record = () => undefined } = sources;
  const agents = {
    public: guardedAgent({ policy: "public", ...sources }),
    named: guardedAgent({ policy: "named", ...sources }),
  };
  const dispatcher = (origin: string, allowed: ReadonlySet<string>) =>
    allowed.has(origin) ? agents.named : agents.public;

  function sender(purpose: string, options: EgressOptions) {
    const settings = {
      timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
      silenceMs: options.silenceMs ?? DEFAULTS.silenceMs,
      maxBytes: options.maxBytes ?? DEFAULTS.maxBytes,
    };
    const allowed = originsOf(options.allowOrigins ?? []);
    const hops = Math.min(options.maxRedirects ?? MAX_REDIRECTS, MAX_REDIRECTS);

    async function send(request: ExchangeRequest, limits: Limits): Promise<EgressResponse> {
      const { url, method } = request;
      const call = { purpose, method, host: url.hostname, port: portOf(url) };
      try {
        assertDeclared(options.hosts, url.hostname, portOf(url));
        const response = await exchange(dispatcher(request.url.origin, allowed), request, limits);
        log.info("outgoing request", { ...call, status: response.status });
        record({ ...call, verdict: "allowed", status: response.status });
        return response;
      } catch (error) {
        record({ ...call, verdict: error instanceof EgressRefusal ? "refused" : "failed", error });
        logRefusal(purpose, request.url, error);
        throw error;
      }
    }

    return async (
      first: ExchangeRequest,
      mode: RequestRedirect,
      signal: AbortSignal | null | undefined,
    ): Promise<{ response: EgressResponse; url: URL; redirected: boolean }> => {
      let request = first;
      const deadline = settings.timeoutMs > 0 ? steadyNow() + settings.timeoutMs : 0;
      for (let hop = 0; ; hop++) {
        const timeoutMs = deadline ? Math.max(1, deadline - steadyNow()) : 0;
        const response = await send(request, { ...settings, timeoutMs, signal: signal ?? undefined });
        const location = mode === "manual" ? null : locationOf(response);
        if (!location) return { response, url: request.url, redirected: hop > 0 };
        response.discard();
        if (mode === "error" || hop >= hops) {
          const why =
            mode === "error" || hops === 0
              ? "redirects, which isn't allowed here"
              : "redirects too many times";
          throw new AppError("provider_unavailable", `${request.url.host} ${why}.`, { permanent: true });
        }
        request = followRedirect(request, response.status, location, options.secretHeaders ?? []);
        try {
          checkUrl(request.url);
        } catch (error) {
          logRefusal(purpose, request.url, error);
          const { url, method } = request;
          record({ purpose, method, host: url.hostname, port: portOf(url), verdict: "refused", error });
          throw error;
        }
      }
    };
  }

  function fetcher(purpose: string, options: EgressOptions = {}) {
    const send = sender(purpose, options);
    return async (...[input, init]: Parameters<typeof fetch>) => {
      const request = await readRequest(input, init);
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return send(request, init?.redirect ?? "follow", signal);
    };
  }

  function guardedFetch(purpose: string, options?: EgressOptions): typeof fetch {
    const fetchUpstream = fetcher(purpose, options);
    return async (...args) => {
      const { response, url, redirected } = await fetchUpstream(...args);
      return toResponse(response, url, redirected);
    };
  }

  function guardedRawFetch(purpose: string, options?: EgressOptions): RawFetch {
    const fetchUpstream = fetcher(purpose, options);
    return async (...args) => (await fetchUpstream(...args)).response;
  }

  function guardedSend(purpose: string, options: EgressOptions = {}): GuardedSend {
    const send = sender(purpose, options);
    return async ({ url, method, headers, body }, signal) => {
      checkUrl(url);
      const request = { url, method, headers: { ...DEFAULT_HEADERS, ...headers }, body };
      const { response } = await send(request, "follow", signal);
      return response;
    };
  }

  return {
    guardedFetch,
    guardedRawFetch,
    guardedSend,
    openSocket: (options) => openSocket({ ...sources, record }, options),
    dispatcher,
    close: async () => {
      await Promise.all([agents.public.destroy(), agents.named.destroy()]);
    },
  };
}
