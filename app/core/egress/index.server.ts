import type { Socket } from "node:net";
import { Dispatcher, setGlobalDispatcher } from "undici";
import { env } from "../env.server";
import { type EgressAllow, parseEgressAllow } from "./allow-list.server";
import { resolveWithSystem } from "./connector.server";
import { createEgressGuard, type EgressGuard, type EgressOptions, type GuardedSend } from "./guard.server";
import { recordCall } from "./record.server";
import type { GuardedSocketOptions } from "./socket.server";

export { parseEgressAllow } from "./allow-list.server";
export type { Answer } from "./exchange.server";
export type { EgressOptions, GuardedSend } from "./guard.server";
export { recordedCalls } from "./record.server";
export { CONNECTION_HEADERS } from "./request.server";
export type { ByteFlow, ByteReceiver } from "./response-body.server";

let parsed: { from: readonly string[] | undefined; allow: EgressAllow } | undefined;

/** The operator's list, parsed when it is first needed; tests change the environment, so its identity is compared. */
function operatorAllow(): EgressAllow {
  const from = env().EGRESS_ALLOW;
  if (!parsed || parsed.from !== from) parsed = { from, allow: parseEgressAllow(from) };
  return parsed.allow;
}

let ownerList: EgressAllow = parseEgressAllow();

/**
 * Hands in what the owner allows beside EGRESS_ALLOW, at the start and on each change. It counts for connections from
 * then on.
 *
 * @throws Error that names the first malformed entry
 */
export function setOwnerAllow(list: readonly string[]): void {
  ownerList = parseEgressAllow(list, "");
}

const allowed = (): EgressAllow => ({
  permits: (...target) => operatorAllow().permits(...target) || ownerList.permits(...target),
});

let guard: EgressGuard | undefined;

function theGuard(): EgressGuard {
  guard ??= createEgressGuard({ allow: allowed, resolve: resolveWithSystem, record: recordCall });
  return guard;
}

/**
 * A `fetch` for one purpose that passes the egress guard: public addresses and what EGRESS_ALLOW names, every redirect
 * checked, time and size bounded. Failures are AppErrors: `egress_refused`, `too_large`, `provider_timeout`,
 * `provider_unavailable`; an aborted signal rejects with its own reason.
 *
 * @param purpose what the log calls the request, such as `tool:web.fetch`; never a secret
 */
export function guardedFetch(purpose: string, options?: EgressOptions): typeof fetch {
  return theGuard().guardedFetch(purpose, options);
}

/** Like `guardedFetch`, for requests whose answers are received as bytes. */
export function guardedSend(purpose: string, options?: EgressOptions): GuardedSend {
  return theGuard().guardedSend(purpose, options);
}

/**
 * A connected TCP or TLS socket that passed the guard, for SMTP or PostgreSQL: its address was checked and is the one
 * connected to. It ends with its caller.
 *
 * @throws AppError `egress_refused`, `provider_unavailable`, `provider_timeout`
 */
export function openGuardedSocket(options: GuardedSocketOptions): Promise<Socket> {
  return theGuard().openSocket(options);
}

const operatorOrigins = new Set<string>();

/** Lets every other fetch of the process reach an origin that the operator configured, such as OAUTH_ISSUER. */
export function allowOperatorOrigin(address: string): void {
  operatorOrigins.add(new URL(address).origin);
}

/** Sends each request of the process to the pool of its policy. */
class GuardingDispatcher extends Dispatcher {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return theGuard().dispatcher(String(options.origin), operatorOrigins).dispatch(options, handler);
  }
}

/**
 * Puts the guard under Node's own `fetch` too, so that a library that fetches by itself can't go around it. A refusal
 * arrives there as the cause of fetch's TypeError.
 *
 * @throws Error naming the malformed entry of EGRESS_ALLOW
 */
export function installEgressGuard(): void {
  operatorAllow();
  setGlobalDispatcher(new GuardingDispatcher());
}
