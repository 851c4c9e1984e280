import ipaddr from "ipaddr.js";
import { EgressRefusal } from "./errors.server";

interface Entry {
  host?: string;
  suffix?: string;
  network?: Network;
  port?: number;
}

export interface EgressAllow {
  permits(host: string, port: number, ip: Ip): boolean;
}

/** Its message follows the entry in the operator's. */
class MalformedEntry extends Error {}

/** Normalizes a host as the URL parser does (lower case, punycode), without a trailing dot. */
function canonicalHost(host: string): string | undefined {
  const text = `http://${host}/`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.host !== url.hostname || url.username || url.pathname !== "/" || url.search || url.hash) {
    return undefined;
  }
  return url.hostname.replace(/\.$/, "");
}

function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw new MalformedEntry("has no valid port");
  return port;
}

function parseNetwork(entry: string): Network {
  const [address = "", bits = ""] = entry.split("/");
  const ip = parseAddress(address);
  if (!ip || !/^[0-9]{1,3}$/.test(bits) || Number(bits) > ip.toByteArray().length * 8) {
    throw new MalformedEntry("is not a network");
  }
  const range: Network = [ip, Number(bits)];
  const first = ip.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const start = first.networkAddressFromCIDR(`${ip.toString()}/${bits}`);
  if (start.toString() !== ip.toString()) {
    throw new MalformedEntry(
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
  return port === undefined ? [host] : [host, parsePort(port)];
}

function parseEntry(entry: string): Entry {
  if (entry.includes("://")) throw new MalformedEntry("is an address with a scheme, not a host");
  if (entry.includes("/")) return { network: parseNetwork(entry) };
  const [name, port] = splitPort(entry);
  const isWildcard = name.startsWith("*.");
  const host = canonicalHost(isWildcard ? name.slice(2) : name);
  if (!host || host.includes("*") || host.startsWith(".")) throw new MalformedEntry("is not a host");
  const ip = parseAddress(host);
  if (isWildcard && ip) throw new MalformedEntry("puts a wildcard before an address");
  const portPart = port === undefined ? {} : { port };
  if (ip) return { network: [ip, ip.toByteArray().length * 8], ...portPart };
  return isWildcard ? { suffix: `.${host}`, ...portPart } : { host, ...portPart };
}

function parseAllowed(text: string): Entry {
  const entry = parseEntry(text);
  if (entry.network && classify(entry.network[0]).reach === "never")
    throw new MalformedEntry("lies in a link-local or cloud metadata range, which is never allowed");
  return entry;
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
    try {
      return parseAllowed(text);
    } catch (error) {
      if (!(error instanceof MalformedEntry)) throw error;
      const shapes = "An entry is host, host:port, *.suffix or a network such as 10.1.0.0/16.";
      throw new Error(`${source}"${text.slice(0, 100)}" ${error.message}. ${shapes}`);
    }
  });
  return {
    permits: (host, port, ip) => {
      const name = host.toLowerCase().replace(/\.$/, "");
      return entries.some((entry) => matches(entry, name, port, ip));
    },
  };
}

/**
 * `public`: public addresses and EGRESS_ALLOW. `named`: an origin an admin entered, which may be private.
 * Link-local and metadata addresses are always blocked.
 */
export type Policy = "public" | "named";

interface Target {
  host: string;
  port: number;
}

function refusalReason(addressClass: AddressClass, address: string, host: string): string {
  const what = address === host.replace(/^\[|\]$/g, "") ? "it" : `it resolves to ${address}, which`;
  const article = /^[aeiu]/i.test(addressClass.kind) && !/^uni/i.test(addressClass.kind) ? "an" : "a";
  const rule =
    addressClass.reach === "never"
      ? ", which is never allowed"
      : ". Private addresses are blocked; an owner can allow this one under Settings › System";
  return `${what} is ${article} ${addressClass.kind} address${rule}`;
}

/** @throws EgressRefusal unless the policy lets a connection for `target` go to `address` */
export function checkAddress(policy: Policy, allow: EgressAllow, target: Target, address: string): void {
  const ip = parseAddress(address);
  if (!ip) throw new EgressRefusal(target.host, "its address is invalid", address);
  const addressClass = classify(ip);
  if (addressClass.reach === "public") return;
  if (
    addressClass.reach === "internal" &&
    (policy === "named" || allow.permits(target.host, target.port, ip))
  )
    return;
  const reason = refusalReason(addressClass, ip.toString(), target.host);
  const allowable = addressClass.reach === "internal" ? `${target.host}:${target.port}` : undefined;
  throw new EgressRefusal(target.host, reason, ip.toString(), allowable);
}

function matchesHost(entry: string, host: string, port: number): boolean {
  const [, name = entry, own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (own !== undefined && Number(own) !== port) return false;
  // An IPv6 address of a URL stands in brackets.
  if (name.startsWith("[")) return name === `[${host}]`;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

/**
 * Restricts a caller, such as a plugin, to its declared hosts, in addition to the address check.
 * @param hosts `host`, `host:port` or `*.suffix`; undefined for no restriction
 * @throws EgressRefusal for another host
 */
export function assertDeclared(hosts: readonly string[] | undefined, host: string, port: number): void {
  if (hosts === undefined) return;
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  if (hosts.some((entry) => matchesHost(entry, name, port))) return;
  throw new EgressRefusal(host, "its host is not on the list of declared hosts");
}

/** @throws EgressRefusal for another scheme than http and https, and for a user name or password in the address */
export function checkUrl(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new EgressRefusal(url.host, `only http and https are allowed, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username || url.password) {
    throw new EgressRefusal(url.host, "the address must not contain a user name or password");
  }
}

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

type Network = readonly [Ip, number];

type Reach = "public" | "internal" | "never";

export interface AddressClass {
  reach: Reach;
  kind: string;
}

const network = (cidr: string): Network => ipaddr.parseCIDR(cidr);

/** Metadata services outside the link-local ranges: AWS, Google, Scaleway, Alibaba, Oracle, Azure. */
const METADATA = [
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fd00:42::42/128",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
].map(network);

const LINK_LOCAL = ["169.254.0.0/16", "fe80::/10"].map(network);

/** IPv6 ranges that embed an IPv4 address, with the offset of its first byte. */
const IPV4_EMBEDDINGS: readonly (readonly [Network, number])[] = [
  [network("::/96"), 12],
  [network("::ffff:0:0:0/96"), 12],
  [network("64:ff9b::/96"), 12],
  [network("64:ff9b:1::/48"), 12],
  [network("2002::/16"), 2],
];

const GLOBAL_UNICAST = network("2000::/3");

const KINDS: Readonly<Record<string, string>> = {
  unspecified: "unspecified",
  broadcast: "broadcast",
  multicast: "multicast",
  linkLocal: "link-local",
  loopback: "loopback",
  carrierGradeNat: "shared (carrier-grade NAT)",
  private: "private",
  uniqueLocal: "unique-local",
  rfc6145: "IPv4-translated",
  rfc6052: "NAT64",
  "6to4": "6to4",
  teredo: "Teredo",
  benchmarking: "benchmarking",
  deprecatedSiteLocal: "site-local",
};

function inNetwork(ip: Ip, [base, bits]: Network): boolean {
  return ip.kind() === base.kind() && ip.match(base, bits);
}

/** Parses an IP address; an IPv4-mapped IPv6 address becomes IPv4. Undefined for a host name. */
export function parseAddress(text: string): Ip | undefined {
  const bare = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  // The URL parser has normalized every other IPv4 spelling.
  if (!bare.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return undefined;
  if (!ipaddr.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function isForbidden(ip: Ip): boolean {
  return [...LINK_LOCAL, ...METADATA].some((range) => inNetwork(ip, range));
}

function embeddedIpv4(ip: Ip): Ip | undefined {
  const bytes = ip.toByteArray();
  if (inNetwork(ip, network("2001::/32")))
    return ipaddr.fromByteArray(bytes.slice(12).map((byte) => byte ^ 0xff));
  const carrier = IPV4_EMBEDDINGS.find(([range]) => inNetwork(ip, range));
  return carrier ? ipaddr.fromByteArray(bytes.slice(carrier[1], carrier[1] + 4)) : undefined;
}

/** Classifies an address by IANA's special-purpose registries (RFC 6890 and its updates). */
export function classify(ip: Ip): AddressClass {
  if (LINK_LOCAL.some((range) => inNetwork(ip, range))) return { reach: "never", kind: "link-local" };
  if (isForbidden(ip)) return { reach: "never", kind: "cloud metadata" };
  const inner = embeddedIpv4(ip);
  const range = ip.range();
  const kind = KINDS[range] ?? "reserved";
  if (inner && isForbidden(inner)) return { reach: "never", kind: `${kind} link-local or cloud metadata` };
  const isPublic = range === "unicast" && (ip.kind() === "ipv4" || inNetwork(ip, GLOBAL_UNICAST));
  return isPublic ? { reach: "public", kind: "public" } : { reach: "internal", kind };
}
