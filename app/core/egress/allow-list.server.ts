import ipaddr from "ipaddr.js";
import { classify, type Ip, inNetwork, type Network, parseAddress } from "./address.server";

interface Entry {
  host?: string;
  suffix?: string;
  network?: Network;
  port?: number;
}

export interface EgressAllow {
  permits(host: string, port: number, ip: Ip): boolean;
}

class MalformedEntry extends Error {
  constructor(
    readonly entry: string,
    readonly reason: string,
    source = "EGRESS_ALLOW: ",
  ) {
    super(
      `${source}"${entry.slice(0, 100)}" ${reason}. An entry is host, host:port, *.suffix or a network such as 10.1.0.0/16.`,
    );
  }
}

/** Normalizes a host as the URL parser does (lower case, punycode), without a trailing dot. */
function canonicalHost(host: string): string | undefined {
  const text = `http://${host}/`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.host !== url.hostname || url.username || url.pathname !== "/" || url.search || url.hash) {
    return undefined;
  }
  return url.hostname.replace(/\.$/, "");
}

function parsePort(text: string, entry: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw new MalformedEntry(entry, "has no valid port");
  return port;
}

function parseNetwork(entry: string): Network {
  const [address = "", bits = ""] = entry.split("/");
  const ip = parseAddress(address);
  if (!ip || !/^[0-9]{1,3}$/.test(bits) || Number(bits) > ip.toByteArray().length * 8) {
    throw new MalformedEntry(entry, "is not a network");
  }
  const range: Network = [ip, Number(bits)];
  const first = ip.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const start = first.networkAddressFromCIDR(`${ip.toString()}/${bits}`);
  if (start.toString() !== ip.toString()) {
    throw new MalformedEntry(
      entry,
      `has address bits beyond its length (did you mean ${start.toString()}/${bits}?)`,
    );
  }
  return range;
}

function splitPort(entry: string): [string, number?] {
  // Bare IPv6 addresses contain colons, so a port requires brackets.
  const match = /^(\[[^\]]*\]|[^:[\]]+)(?::(.*))?$/.exec(entry);
  if (!match) return [`[${entry}]`];
  const [, host = "", port] = match;
  return port === undefined ? [host] : [host, parsePort(port, entry)];
}

function parseEntry(entry: string): Entry {
  if (entry.includes("://")) throw new MalformedEntry(entry, "is an address with a scheme, not a host");
  if (entry.includes("/")) return { network: parseNetwork(entry) };
  const [name, port] = splitPort(entry);
  const isWildcard = name.startsWith("*.");
  const host = canonicalHost(isWildcard ? name.slice(2) : name);
  if (!host || host.includes("*") || host.startsWith(".")) throw new MalformedEntry(entry, "is not a host");
  const ip = parseAddress(host);
  if (isWildcard && ip) throw new MalformedEntry(entry, "puts a wildcard before an address");
  const portPart = port === undefined ? {} : { port };
  if (ip) return { network: [ip, ip.toByteArray().length * 8], ...portPart };
  return isWildcard ? { suffix: `.${host}`, ...portPart } : { host, ...portPart };
}

function parseEntryOf(source: string, text: string): Entry {
  try {
    return parseEntry(text);
  } catch (error) {
    throw error instanceof MalformedEntry ? new MalformedEntry(error.entry, error.reason, source) : error;
  }
}

function matches(entry: Entry, host: string, port: number, ip: Ip): boolean {
  if (entry.port !== undefined && entry.port !== port) return false;
  if (entry.host !== undefined) return entry.host === host;
  if (entry.suffix !== undefined) return host.endsWith(entry.suffix);
  return entry.network !== undefined && inNetwork(ip, entry.network);
}

/**
 * Parses EGRESS_ALLOW. Link-local and metadata addresses are always rejected.
 * @param source prefix of error messages
 * @throws Error naming the first malformed entry
 */
export function parseEgressAllow(list: readonly string[] = [], source = "EGRESS_ALLOW: "): EgressAllow {
  const entries = list.map((text) => {
    const entry = parseEntryOf(source, text);
    if (entry.network && classify(entry.network[0]).reach === "never") {
      const why = "lies in a link-local or cloud metadata range, which is never allowed";
      throw new MalformedEntry(text, why, source);
    }
    return entry;
  });
  return {
    permits: (host, port, ip) => {
      const name = host.toLowerCase().replace(/\.$/, "");
      return entries.some((entry) => matches(entry, name, port, ip));
    },
  };
}
