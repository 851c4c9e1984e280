import { once } from "node:events";
import { isIP, type LookupFunction, Socket, type TcpNetConnectOpts } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { withDeadline } from "../abort";
import { AppError } from "../errors";
import type { EgressAllow } from "./allow-list.server";
import type { Resolve } from "./connector.server";
import { assertDeclared } from "./declared-hosts.server";
import { EgressRefusal, explainFailure } from "./errors.server";
import { checkAddress, type Policy } from "./policy.server";
import type { Recorder } from "./record.server";

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

interface SocketSources {
  allow: () => EgressAllow;
  resolve: Resolve;
  record: Recorder;
}

const CONNECT_TIMEOUT = 10_000;

/** Returns only the checked addresses, so that DNS rebinding can't swap them. */
function checkedLookup(resolve: Resolve, check: (address: string) => void, host: string): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        try {
          if (!first) throw new EgressRefusal(host, "its host name has no IP address");
          for (const { address } of addresses) check(address);
        } catch (error) {
          return callback(error as Error, []);
        }
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}

async function waitForConnection(
  socket: Socket,
  event: "connect" | "secureConnect",
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  const timeoutError = new AppError("provider_timeout", `The connection took longer than ${ms / 1000} s.`);
  try {
    await withDeadline({ ms, timeoutError, signal }, (ending) => once(socket, event, { signal: ending }));
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Connects a TCP or TLS socket to a checked address. The caller must close it.
 * @throws AppError `egress_refused`, `provider_unavailable`, `provider_timeout`; the signal's reason when
 * aborted
 */
export async function openSocket(
  { allow, resolve, record }: SocketSources,
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
    const target: TcpNetConnectOpts & { autoSelectFamily: boolean } = {
      host,
      port,
      lookup: checkedLookup(resolve, check, host),
      autoSelectFamily: true,
    };
    const ready = waitForConnection(socket, "connect", timeoutMs, signal);
    socket.connect(target);
    await ready;
    if (!tls) {
      record({ ...call, verdict: "allowed" });
      return socket;
    }
    const tlsOptions = tls === true ? {} : tls;
    const tlsSocket = connectTls({
      ...tlsOptions,
      socket,
      ...(isIP(host) ? {} : { servername: host }),
      host,
    });
    tlsSocket.on("error", () => undefined);
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
