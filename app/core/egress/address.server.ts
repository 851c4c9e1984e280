import ipaddr from "ipaddr.js";

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Ip, number];

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

export function inNetwork(ip: Ip, [base, bits]: Network): boolean {
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
