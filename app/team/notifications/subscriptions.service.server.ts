import { onSessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { authorise } from "~/platform/rights/authorization.server";
import { pushPublicKey } from "./channels/vapid.server";
import type { PushBrowser, PushSettings, PushSubscriptionInput } from "./notifications.schema";
import {
  deleteSubscription,
  deleteSubscriptionsOfSession,
  listSubscriptions,
  upsertSubscription,
} from "./subscriptions.repo.server";

/** Per person; the oldest is replaced. */
const MAX_BROWSERS = 10;
const MAX_USER_AGENT = 300;

/** The key for subscribing, and the subscribed browsers. */
export function readPushSettings(actor: Actor): PushSettings {
  authorise(actor, "notifications.own");
  return { publicKey: pushPublicKey(), browsers: listBrowsers(actor) };
}

function listBrowsers(actor: Actor): PushBrowser[] {
  return listSubscriptions(db(), actor.userId).map(({ id, userAgent, sessionId, createdAt }) => ({
    id,
    userAgent,
    isCurrent: sessionId !== null && sessionId === actor.sessionId,
    createdAt: new Date(createdAt).toISOString(),
  }));
}

/** Replaces another person's subscription of the same browser. */
export function subscribeBrowser(
  actor: Actor,
  { endpoint, keys }: PushSubscriptionInput,
  userAgent: string | null,
): PushSettings {
  authorise(actor, "preferences.write");
  transaction((tx) => {
    upsertSubscription(tx, {
      id: newId("psh"),
      userId: actor.userId,
      sessionId: actor.sessionId ?? null,
      endpoint,
      ...keys,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      createdAt: now(),
    });
    const all = listSubscriptions(tx, actor.userId);
    for (const { id } of all.slice(0, -MAX_BROWSERS)) deleteSubscription(tx, actor.userId, id);
  });
  return readPushSettings(actor);
}

export function unsubscribeBrowser(actor: Actor, id: string): void {
  authorise(actor, "preferences.write");
  transaction((tx) => {
    if (!deleteSubscription(tx, actor.userId, id))
      throw new AppError("not_found", "Browser not found. It may have been removed.");
  });
}

/** Ends pushes on sign-out. @returns a stop function */
export function startPushCleanup(): () => void {
  return onSessionEnded((sessionId) => {
    try {
      transaction((tx) => deleteSubscriptionsOfSession(tx, sessionId));
    } catch (error) {
      log.error("a browser's pushes could not be ended", { error });
    }
  });
}
