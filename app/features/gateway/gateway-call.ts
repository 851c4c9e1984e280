import type { IncomingHttpHeaders } from "node:http";
import type { Actor } from "~/core/actor";

/** A program's call, as the edge hands it over. */
export interface GatewayCall {
  actor: Actor;
  requestId: string;
  headers: IncomingHttpHeaders;
  /** Fires when the caller leaves or its token ends. */
  signal: AbortSignal;
  readBody(): Promise<Uint8Array>;
  answer: {
    send(contentType: string, body: string | Uint8Array, headers: Record<string, string>): void;
    begin(contentType: string, headers: Record<string, string>): void;
    /** A promise where the caller is slow; it rejects with the signal's reason when the caller has left. */
    write(bytes: Uint8Array): Promise<void> | undefined;
    end(): void;
    /** Ends a stream with a last frame, where the caller is still there. */
    fail(frame: string): void;
  };
}
