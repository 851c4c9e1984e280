import { EventEmitter } from "node:events";
import type { Actor } from "./actor";
import { AppError } from "./errors";

/**
 * Notifies a person's open streams that their permissions have changed, so that a removed member stops receiving data.
 * The emitter outlives a module's re-evaluation in development.
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

/** Call after the commit that signed out one session; the person's other ones continue. */
export function sessionEnded(sessionId: string): void {
  emitter().emit("session", sessionId);
}

/** @returns the function that stops listening */
export function onSessionEnded(listener: (sessionId: string) => void): () => void {
  emitter().on("session", listener);
  return () => emitter().off("session", listener);
}

/** Call after the commit that changed who belongs to a group: other documents are seen by some people now. */
export function groupsChanged(orgId: string): void {
  emitter().emit("groups", orgId);
}

/** @returns the function that stops listening */
export function onGroupsChanged(listener: (orgId: string) => void): () => void {
  emitter().on("groups", listener);
  return () => emitter().off("groups", listener);
}

/** @returns the function that stops listening */
export function onAccessChanged(listener: (userId: string, scope: AccessScope) => void): () => void {
  emitter().on("changed", listener);
  return () => emitter().off("changed", listener);
}

/**
 * Does work that takes its time, such as receiving a file, for as long as the actor's access stays as it was.
 *
 * @param work gets a signal that ends with `signal`, or with AppError `forbidden` and `message` when the access changes
 */
export async function whileAccessLasts<T>(
  actor: Pick<Actor, "userId" | "tokenId">,
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const changed = new AbortController();
  const stopWatching = onAccessChanged((userId, { tokenId }) => {
    if (userId !== actor.userId || (tokenId !== undefined && tokenId !== actor.tokenId)) return;
    changed.abort(new AppError("forbidden", message));
  });
  try {
    return await work(signal ? AbortSignal.any([signal, changed.signal]) : changed.signal);
  } finally {
    stopWatching();
  }
}
