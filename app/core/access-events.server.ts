import { EventEmitter } from "node:events";
import type { Actor } from "./actor";
import { AppError } from "./errors";

/**
 * Notifies a user's open streams of changed permissions, so that a removed member stops receiving data. The emitter
 * survives the module's re-evaluation in development.
 */
const holder = globalThis as typeof globalThis & { quarterdeckAccess?: EventEmitter };

function emitter(): EventEmitter {
  holder.quarterdeckAccess ??= new EventEmitter().setMaxListeners(0);
  return holder.quarterdeckAccess;
}

export interface AccessScope {
  tokenId?: string;
}

/**
 * Call after the commit that changed a user's role, removed them or ended their sessions; with `tokenId`, after the
 * commit that revoked the token.
 */
export function accessChanged(userId: string, scope: AccessScope = {}): void {
  emitter().emit("changed", userId, scope);
}

/** Call after the commit that signed out a single session. */
export function sessionEnded(sessionId: string): void {
  emitter().emit("session", sessionId);
}

/** @returns a function to unsubscribe */
export function onSessionEnded(listener: (sessionId: string) => void): () => void {
  emitter().on("session", listener);
  return () => emitter().off("session", listener);
}

/** Call after the commit that changed a group's members, and so document access. */
export function groupsChanged(orgId: string): void {
  emitter().emit("groups", orgId);
}

/** @returns a function to unsubscribe */
export function onGroupsChanged(listener: (orgId: string) => void): () => void {
  emitter().on("groups", listener);
  return () => emitter().off("groups", listener);
}

/** @returns a function to unsubscribe */
export function onAccessChanged(listener: (userId: string, scope: AccessScope) => void): () => void {
  emitter().on("changed", listener);
  return () => emitter().off("changed", listener);
}

/**
 * Runs lengthy work, such as receiving a file, while the actor's access is unchanged.
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
