import { EgressRefusal } from "./errors.server";

function matches(entry: string, host: string, port: number): boolean {
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
  if (hosts.some((entry) => matches(entry, name, port))) return;
  throw new EgressRefusal(host, "its host is not on the list of declared hosts");
}
