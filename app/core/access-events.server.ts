import { EventEmitter } from "node:events";

/**
 * Tells the open streams of a person that their rights have changed, so that a removed member doesn't read on. The
 * emitter outlives a module's re-evaluation in development.
 */
const holder = globalThis as typeof globalThis & { quarterdeckAccess?: EventEmitter };

function emitter(): EventEmitter {
  holder.quarterdeckAccess ??= new EventEmitter().setMaxListeners(0);
  return holder.quarterdeckAccess;
}

/** What of a person's access has changed: all of it, or one API token's. */
export interface AccessScope {
  tokenId?: string;
}

/**
 * Call after the commit that changed a person's role, removed them or ended their sessions; with a `tokenId` after
 * the one that revoked this token only.
 */
export function accessChanged(userId: string, scope: AccessScope = {}): void {
  emitter().emit("changed", userId, scope);
}

/** @returns the function that stops listening */
export function onAccessChanged(listener: (userId: string, scope: AccessScope) => void): () => void {
  emitter().on("changed", listener);
  return () => emitter().off("changed", listener);
}
