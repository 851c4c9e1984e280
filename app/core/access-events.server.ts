import { EventEmitter } from "node:events";
import { followSignal } from "./abort";
import type { Actor } from "./actor";
import { AppError } from "./errors";
import { kept } from "./process.server";

const emitter = () => kept("access events", () => new EventEmitter().setMaxListeners(0));

export interface AccessScope {
  tokenId?: string;
  /** Ended sessions. Their pages stay open, so their streams end without a reload event. */
  endedSessions?: readonly string[];
}

/** Call after the commit. With `tokenId` for a revoked API token. */
export function accessChanged(userId: string, scope: AccessScope = {}): void {
  for (const id of scope.endedSessions ?? []) sessionEnded(id);
  emitter().emit("changed", userId, scope);
}

export function sessionEnded(sessionId: string): void {
  emitter().emit("session", sessionId);
}

/** Call after the commit that changed the members of a group or project, and so document access. */
export function groupsChanged(orgId: string): void {
  emitter().emit("groups", orgId);
}

type Subscribe<T extends unknown[]> = (listener: (...event: T) => void) => () => void;

const subscription =
  <T extends unknown[]>(name: string): Subscribe<T> =>
  (listener) => {
    emitter().on(name, listener);
    return () => emitter().off(name, listener);
  };

export const onSessionEnded = subscription<[sessionId: string]>("session");
export const onGroupsChanged = subscription<[orgId: string]>("groups");
export const onAccessChanged = subscription<[userId: string, scope: AccessScope]>("changed");

/** Runs long work. Its signal also aborts, with AppError `forbidden`, when the actor's access changes. */
export async function whileAccessLasts<T>(
  actor: Pick<Actor, "userId" | "tokenId">,
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { controller, release } = followSignal(signal);
  const stopWatching = onAccessChanged((userId, { tokenId }) => {
    if (userId !== actor.userId || (tokenId !== undefined && tokenId !== actor.tokenId)) return;
    controller.abort(new AppError("forbidden", message));
  });
  try {
    return await work(controller.signal);
  } finally {
    stopWatching();
    release();
  }
}
