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
