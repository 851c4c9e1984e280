import type { Actor } from "~/core/actor";

export interface GatewayCall {
  actor: Actor;
  requestId: string;
  headers: Headers;
  /** Fires when the caller disconnects or its token ends. */
  signal: AbortSignal;
  raw(): Promise<Uint8Array>;
}
