import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher, Pool } from "undici";
import { log } from "../log.server";
import { parseAddress } from "./address.server";
import type { EgressAllow } from "./allow-list.server";
import { EgressRefusal } from "./errors.server";
import { checkAddress, type Policy } from "./policy.server";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** The system's resolver: the hosts file and DNS, as every other program on the machine sees them. */
export const resolveWithSystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

export interface GuardSettings {
  policy: Policy;
  /** Read at each connection, so that a change of the list counts from then on. */
  allow: () => EgressAllow;
  resolve: Resolve;
}

const CONNECT_TIMEOUT = 10_000;
/** How long an idle connection is kept for the next request. */
const KEEP_ALIVE = 30_000;

function toError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * Connects to one origin. The check sits where the socket gets its address: the lookup hands over exactly the
 * addresses it has checked, so there is no second resolution that a rebinding name could use. The name itself stays
 * for the Host header, SNI and the certificate.
 */
function guardedConnector(origin: URL, settings: GuardSettings): buildConnector.connector {
  const host = origin.hostname;
  const port = Number(origin.port) || (origin.protocol === "https:" ? 443 : 80);
  const check = (address: string) => checkAddress(settings.policy, settings.allow(), { host, port }, address);

  // A burst of new connections asks once; nothing is kept beyond the answer.
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
      // A literal address never meets the lookup.
      if (parseAddress(options.hostname)) check(options.hostname);
    } catch (error) {
      // undici expects the answer in a later turn, as from a socket.
      queueMicrotask(() => callback(toError(error), null));
      return;
    }
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) log.debug("connected to the outside", { host, port, address: socket.remoteAddress });
      callback(...result);
    });
  };
}

/**
 * A pool of connections under one policy. Since the check runs per connection, pooled connections can be reused by any
 * request of the same policy.
 */
export function guardedAgent(settings: GuardSettings): Dispatcher {
  return new Agent({
    // As many connections per origin as there are streams; the time limits are set with each request.
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
