import type { Socket } from "node:net";
import { Dispatcher, setGlobalDispatcher } from "undici";
import { env } from "../env.server";
import type { GuardedSocketOptions } from "./connector.server";
import { resolveWithSystem } from "./connector.server";
import {
  createEgressGuard,
  type EgressGuard,
  type EgressOptions,
  type GuardedSend,
  type RawFetch,
  recordCall,
} from "./guard.server";
import { type EgressAllow, parseEgressAllow } from "./policy.server";

export type { EgressResponse } from "./exchange.server";
export { CONNECTION_HEADERS } from "./exchange.server";
export type { EgressOptions, GuardedSend, RawFetch } from "./guard.server";
export { recordedCalls } from "./guard.server";
export { parseEgressAllow } from "./policy.server";
export type { ByteFlow, ByteReceiver } from "./response-body.server";

let parsed: { from: readonly string[] | undefined; allow: EgressAllow } | undefined;

function operatorAllow(): EgressAllow {
  const from = env().EGRESS_ALLOW;
  if (!parsed || parsed.from !== from) parsed = { from, allow: parseEgressAllow(from) };
  return parsed.allow;
}

let ownerList: EgressAllow = parseEgressAllow();

/**
 * Sets the hosts that the owner allows in addition to EGRESS_ALLOW, for new connections.
 * @throws Error naming the first malformed entry
 */
export function setOwnerAllow(list: readonly string[]): void {
  ownerList = parseEgressAllow(list, "");
}

const allowed = (): EgressAllow => ({
  permits: (...target) => operatorAllow().permits(...target) || ownerList.permits(...target),
});

let guard: EgressGuard | undefined;

function sharedGuard(): EgressGuard {
  guard ??= createEgressGuard({ allow: allowed, resolve: resolveWithSystem, record: recordCall });
  return guard;
}

export function guardedFetch(purpose: string, options?: EgressOptions): typeof fetch {
  return sharedGuard().guardedFetch(purpose, options);
}

export function guardedRawFetch(purpose: string, options?: EgressOptions): RawFetch {
  return sharedGuard().guardedRawFetch(purpose, options);
}

export function guardedSend(purpose: string, options?: EgressOptions): GuardedSend {
  return sharedGuard().guardedSend(purpose, options);
}

/**
 * Opens a checked TCP or TLS socket, such as for SMTP or PostgreSQL.
 * @throws AppError `egress_refused`, `provider_unavailable`, `provider_timeout`
 */
export function openGuardedSocket(options: GuardedSocketOptions): Promise<Socket> {
  return sharedGuard().openSocket(options);
}

const operatorOrigins = new Set<string>();

/** Allows the process's other fetches to reach an operator's origin, such as OAUTH_ISSUER. */
export function allowOperatorOrigin(address: string): void {
  operatorOrigins.add(new URL(address).origin);
}

class GuardingDispatcher extends Dispatcher {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return sharedGuard().dispatcher(String(options.origin), operatorOrigins).dispatch(options, handler);
  }
}

/**
 * Guards Node's own `fetch` too, so that libraries can't bypass the guard. A refusal is the cause of
 * fetch's TypeError.
 * @throws Error naming the malformed entry of EGRESS_ALLOW
 */
export function installEgressGuard(): void {
  operatorAllow();
  setGlobalDispatcher(new GuardingDispatcher());
}
