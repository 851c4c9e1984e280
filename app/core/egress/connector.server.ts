import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher, Pool } from "undici";
import { log } from "../log.server";
import { parseAddress } from "./address.server";
import type { EgressAllow } from "./allow-list.server";
import { EgressRefusal } from "./errors.server";
import { checkAddress, type Policy } from "./policy.server";

export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveWithSystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

export interface GuardSettings {
  policy: Policy;
  allow: () => EgressAllow;
  resolve: Resolve;
}

const CONNECT_TIMEOUT = 10_000;
const KEEP_ALIVE = 30_000;

function toError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * Connects to one origin. The lookup returns only the addresses it checked, so DNS rebinding can't swap
 * them. The host name stays in Host, SNI and certificate checks.
 */
function guardedConnector(origin: URL, settings: GuardSettings): buildConnector.connector {
  const host = origin.hostname;
  const port = Number(origin.port) || (origin.protocol === "https:" ? 443 : 80);
  const check = (address: string) => checkAddress(settings.policy, settings.allow(), { host, port }, address);

  // Concurrent connections share one lookup; nothing is cached.
  let pending: Promise<LookupAddress[]> | undefined;
  const resolveChecked = async (name: string) => {
    pending ??= settings.resolve(name).finally(() => {
      pending = undefined;
    });
    const addresses = await pending;
    if (addresses.length === 0) throw new EgressRefusal(host, "its host name has no IP address");
    for (const { address } of addresses) check(address);
    return addresses;
  };

  const lookup: LookupFunction = (name, options, callback) => {
    resolveChecked(name).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: unknown) => callback(toError(error), []),
    );
  };
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
export function guardedAgent(settings: GuardSettings): Dispatcher {
  return new Agent({
    // One connection per concurrent stream; requests set their own time limits.
    factory: (origin) =>
      new Pool(origin, {
        connect: guardedConnector(new URL(origin), settings),
        connections: null,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE,
      }),
  });
}
