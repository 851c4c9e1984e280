import type { IncomingHttpHeaders } from "node:http";
import type { Actor } from "~/core/actor";

export interface GatewayCall {
  actor: Actor;
  requestId: string;
  headers: IncomingHttpHeaders;
  /** Fires when the caller disconnects or its token ends. */
  signal: AbortSignal;
  readBody(): Promise<Uint8Array>;
  response: {
    send(contentType: string, body: string | Uint8Array, headers: Record<string, string>): void;
    begin(contentType: string, headers: Record<string, string>): void;
    /** Returns a promise if the caller is slow; it rejects with the signal's reason. */
    write(bytes: Uint8Array): Promise<void> | undefined;
    end(): void;
    /** Ends a stream with a last frame. */
    fail(frame: string): void;
  };
}
