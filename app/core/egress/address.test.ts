import { describe, expect, it } from "vitest";
import { classify, parseAddress } from "./policy.server";

function reach(text: string): string {
  const ip = parseAddress(text);
  return ip ? classify(ip).reach : "name";
}

describe("the class of an address", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.0",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e",
    "::ffff:8.8.8.8",
  ])("%s is public", (text) => expect(reach(text)).toBe("public"));

  it.each([
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["protocol assignments", "192.0.0.1"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.7"],
    ["documentation", "203.0.113.7"],
    ["6to4 relay", "192.88.99.1"],
    ["benchmarking", "198.18.0.1"],
    ["benchmarking", "198.19.255.255"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["loopback in brackets", "[::1]"],
    ["mapped loopback", "::ffff:127.0.0.1"],
    ["mapped private", "::ffff:a00:1"],
    ["compatible loopback", "::127.0.0.1"],
    ["translated", "::ffff:0:127.0.0.1"],
    ["unique-local", "fc00::1"],
    ["unique-local", "fd12:3456:789a::1"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["NAT64", "64:ff9b::8.8.8.8"],
    ["local NAT64", "64:ff9b:1::8.8.8.8"],
    ["6to4", "2002:808:808::1"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["ORCHID", "2001:20::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["benchmarking", "2001:2::1"],
    ["discard", "100::1"],
    ["segment routing", "5f00::1"],
    ["unassigned", "4000::1"],
  ])("%s %s is internal", (_, text) => expect(reach(text)).toBe("internal"));

  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "[fe80::1%25eth0]",
    "febf::1",
    "fd00:ec2::254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    // Teredo carries its client's address inverted.
    "2001:0:0:0:0:0:5601:5601",
  ])("%s is never allowed", (text) => expect(reach(text)).toBe("never"));

  it.each(["localhost", "example.org", "1.2.3", "0x7f.0.0.1", "127.1", "010.0.0.1x", ""])(
    "%s is a name, not an address",
    (text) => expect(reach(text)).toBe("name"),
  );
});
