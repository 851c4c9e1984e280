import { describe, expect, it } from "vitest";
import { parseAddress, parseEgressAllow } from "./policy.server";

function permits(entry: string, host: string, port: number, address: string): boolean {
  const ip = parseAddress(address);
  if (!ip) throw new Error("not an address");
  return parseEgressAllow([entry]).permits(host, port, ip);
}

describe("EGRESS_ALLOW", () => {
  it.each([
    ["intranet", "intranet", 80, "10.0.0.5"],
    ["Intranet.", "intranet", 80, "10.0.0.5"],
    ["intranet", "INTRANET.", 80, "10.0.0.5"],
    ["ollama_1:11434", "ollama_1", 11434, "172.18.0.2"],
    ["*.corp.example", "wiki.corp.example", 443, "10.0.0.5"],
    ["*.corp.example", "a.b.corp.example", 443, "10.0.0.5"],
    ["*.corp.example:8443", "wiki.corp.example", 8443, "10.0.0.5"],
    ["bücher.example", "xn--bcher-kva.example", 80, "10.0.0.5"],
    ["127.0.0.1", "127.0.0.1", 80, "127.0.0.1"],
    ["127.0.0.1:8080", "localhost", 8080, "127.0.0.1"],
    ["0x7f.1", "localhost", 8080, "127.0.0.1"],
    ["127.0.0.1", "x", 80, "::ffff:127.0.0.1"],
    ["[::1]:3000", "localhost", 3000, "::1"],
    ["::1", "localhost", 3000, "::1"],
    ["10.1.0.0/16", "db.internal", 5432, "10.1.200.3"],
    ["fd00:1234::/32", "x", 80, "fd00:1234::9"],
    ["0.0.0.0/0", "x", 80, "10.0.0.1"],
  ])("%s lets through %s:%i at %s", (entry, host, port, address) => {
    expect(permits(entry, host, port, address)).toBe(true);
  });

  it.each([
    ["intranet", "intranet.evil.example", 80, "10.0.0.5"],
    ["intranet:8080", "intranet", 80, "10.0.0.5"],
    ["*.corp.example", "corp.example", 443, "10.0.0.5"],
    ["*.corp.example", "evilcorp.example", 443, "10.0.0.5"],
    ["10.1.0.0/16", "x", 80, "10.2.0.1"],
    ["10.1.0.0/16", "x", 80, "::1"],
    ["127.0.0.1:8080", "127.0.0.1", 8081, "127.0.0.1"],
  ])("%s doesn't let through %s:%i at %s", (entry, host, port, address) => {
    expect(permits(entry, host, port, address)).toBe(false);
  });

  it.each([
    "http://intranet",
    "intranet:",
    "intranet:0",
    "intranet:65536",
    "intranet:http",
    "intranet/path",
    "user@intranet",
    "*",
    "*.",
    "a.*.example",
    "*.10.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.1/8",
    "fd00::1/16",
    "corp/16",
    "[::1",
    "::1]:80",
    "fe80::1%eth0",
    "169.254.169.254",
    "169.254.0.0/16",
    "fd00:ec2::254",
    "100.100.100.200:80",
    "a b",
    "#",
  ])("names the malformed entry %s", (entry) => {
    expect(() => parseEgressAllow(["example.org", entry])).toThrow(`"${entry}"`);
  });

  it("suggests the likely spelling", () => {
    expect(() => parseEgressAllow(["10.0.0.1/8"])).toThrow("did you mean 10.0.0.0/8?");
  });

  it("permits nothing when empty", () => {
    const ip = parseAddress("10.0.0.1");
    expect(ip && parseEgressAllow().permits("x", 80, ip)).toBe(false);
  });
});
