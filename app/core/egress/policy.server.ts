import { type AddressClass, classify, parseAddress } from "./address.server";
import type { EgressAllow } from "./allow-list.server";
import { EgressRefusal } from "./errors.server";

/**
 * `public`: public addresses and EGRESS_ALLOW. `named`: an origin an admin entered, which may be private.
 * Link-local and metadata addresses are always blocked.
 */
export type Policy = "public" | "named";

interface Target {
  host: string;
  port: number;
}

function refusalReason(found: AddressClass, address: string, host: string): string {
  const what = address === host.replace(/^\[|\]$/g, "") ? "it" : `it resolves to ${address}, which`;
  const article = /^[aeiu]/i.test(found.kind) && !/^uni/i.test(found.kind) ? "an" : "a";
  const rule = found.reach === "never" ? ", which is never allowed" : ". Private addresses are blocked";
  return `${what} is ${article} ${found.kind} address${rule}`;
}

/** @throws EgressRefusal unless the policy lets a connection for `target` go to `address` */
export function checkAddress(policy: Policy, allow: EgressAllow, target: Target, address: string): void {
  const ip = parseAddress(address);
  if (!ip) throw new EgressRefusal(target.host, "its address is invalid", address);
  const found = classify(ip);
  if (found.reach === "public") return;
  if (found.reach === "internal" && (policy === "named" || allow.permits(target.host, target.port, ip)))
    return;
  const reason = refusalReason(found, ip.toString(), target.host);
  const allowable = found.reach === "internal" ? `${target.host}:${target.port}` : undefined;
  throw new EgressRefusal(target.host, reason, ip.toString(), allowable);
}
