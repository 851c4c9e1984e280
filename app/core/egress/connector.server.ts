import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { once } from "node:events";
import { isIP, type LookupFunction, Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { Agent, buildConnector, type Dispatcher, Pool } from "undici";
import { withDeadline } from "../abort";
import { AppError } from "../errors";
import { log } from "../log.server";
import { EgressRefusal, explainFailure } from "./errors.server";
import { assertDeclared, checkAddress, type EgressAllow, type Policy, parseAddress } from "./policy.server";

type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveWithSystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

export interface GuardSources {
  allow: () => EgressAllow;
  resolve: Resolve;
  record?: Recorder;
}

const CONNECT_TIMEOUT = 10_000;
const KEEP_ALIVE = 30_000;

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

function toError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

/** A lookup that returns only the addresses it checked, so that DNS rebinding can't swap them. */
function checkedLookup(resolve: Resolve, check: (address: string) => void, host: string): LookupFunction {
  // Concurrent connections share one lookup; nothing is cached.
  let pending: Promise<LookupAddress[]> | undefined;
  const resolveChecked = async (name: string) => {
    pending ??= resolve(name).finally(() => {
      pending = undefined;
    });
    const addresses = await pending;
    if (addresses.length === 0) throw new EgressRefusal(host, "its host name has no IP address");
    for (const { address } of addresses) check(address);
    return addresses;
  };
  return (name, options, callback) => {
    resolveChecked(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: unknown) => callback(toError(error), []),
    );
  };
}

/** Connects to one origin. The host name stays in Host, SNI and certificate checks. */
function guardedConnector(
  origin: URL,
  policy: Policy,
  { allow, resolve }: GuardSources,
): buildConnector.connector {
  const host = origin.hostname;
  const port = portOf(origin);
  const check = (address: string) => checkAddress(policy, allow(), { host, port }, address);
  const lookup = checkedLookup(resolve, check, host);
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT, lookup, autoSelectFamily: true, port });

  return (options, callback) => {
    try {
      if (parseAddress(options.hostname)) check(options.hostname);
    } catch (error) {
      // undici expects an asynchronous callback.
      queueMicrotask(() => callback(toError(error), null));
      return;
    }
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) log.debug("outgoing connection", { host, port, address: socket.remoteAddress });
      callback(...result);
    });
  };
}

/** The check runs per connection, so requests of the same policy can share the pool. */
export function guardedAgent(policy: Policy, sources: GuardSources): Dispatcher {
  return new Agent({
    // One connection per concurrent stream; requests set their own time limits.
    factory: (origin) =>
      new Pool(origin, {
        connect: guardedConnector(new URL(origin), policy, sources),
        connections: null,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE,
      }),
  });
}

export interface GuardedSocketOptions {
  /** Name in logs, such as `smtp`; never a secret. */
  purpose: string;
  host: string;
  port: number;
  /** Uses TLS from the start; an object adds options such as `ca`. */
  tls?: boolean | Pick<ConnectionOptions, "ca" | "cert" | "key">;
  /** For a host that an admin or the operator entered. */
  allowPrivate?: boolean;
  /** The caller's declared hosts, as in EGRESS_ALLOW without networks; others are refused. */
  hosts?: readonly string[];
  /** Connection timeout, in ms. Default 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

async function waitForConnection(
  socket: Socket,
  event: "connect" | "secureConnect",
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  const timeoutError = () =>
    new AppError("provider_timeout", `The connection took longer than ${ms / 1000} s.`);
  try {
    await withDeadline({ ms, timeoutError, signal }, (ending) => once(socket, event, { signal: ending }));
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** TLS over a connected socket; its certificate must be of the host and trusted. */
export function startTls(
  socket: Socket,
  host: string,
  options: Exclude<GuardedSocketOptions["tls"], boolean | undefined> = {},
): TLSSocket {
  const servername = isIP(host) ? {} : { servername: host };
  const tlsSocket = connectTls({ ...options, socket, ...servername, host });
  // Without a listener a late error would end the process.
  tlsSocket.on("error", () => undefined);
  return tlsSocket;
}

/**
 * Connects a TCP or TLS socket to a checked address. The caller must close it.
 * @throws AppError `egress_refused`, `provider_unavailable`, `provider_timeout`; the signal's reason when aborted
 */
export async function openSocket(
  { allow, resolve, record }: Required<GuardSources>,
  options: GuardedSocketOptions,
): Promise<Socket | TLSSocket> {
  const { purpose, port, tls, hosts, timeoutMs = CONNECT_TIMEOUT, signal } = options;
  const host = options.host.replace(/^\[|\]$/g, "");
  const policy: Policy = options.allowPrivate ? "named" : "public";
  const check = (address: string) => checkAddress(policy, allow(), { host, port }, address);
  const call = { purpose, method: "CONNECT", host, port };
  try {
    signal?.throwIfAborted();
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new EgressRefusal(host, "its port is invalid");
    assertDeclared(hosts, host, port);
    if (isIP(host)) check(host);
    const socket = new Socket();
    // Without a listener a late error would end the process.
    socket.on("error", () => undefined);
    const ready = waitForConnection(socket, "connect", timeoutMs, signal);
    const lookup = checkedLookup(resolve, check, host);
    socket.connect({ host, port, lookup, autoSelectFamily: true });
    await ready;
    if (!tls) {
      record({ ...call, verdict: "allowed" });
      return socket;
    }
    const tlsSocket = startTls(socket, host, tls === true ? {} : tls);
    await waitForConnection(tlsSocket, "secureConnect", timeoutMs, signal);
    record({ ...call, verdict: "allowed" });
    return tlsSocket;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const explained = explainFailure(error, host, false, timeoutMs);
    record({ ...call, verdict: explained instanceof EgressRefusal ? "refused" : "failed", error: explained });
    throw explained;
  }
}

/** An outgoing call as shown to the owner: without path, query, headers or body. */
export interface EgressCall {
  at: number;
  purpose: string;
  method: string;
  host: string;
  port: number;
  verdict: "allowed" | "refused" | "failed";
  status?: number;
  reason?: string;
}

export type Recorder = (call: Omit<EgressCall, "at" | "reason"> & { error?: unknown }) => void;
