import { randomUUID } from "node:crypto";
import { onAccessChanged, onSessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { AppError } from "~/core/errors";
import { kept } from "~/core/kept.server";
import { type Topic, topics } from "~/platform/catalogue/topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import type { LiveEvent } from "./events.schema";
import { Subscription, type SubscriptionOptions, type TopicChange } from "./subscription.server";

/** Per user; a browser needs one. */
const MAX_STREAMS = 16;
/** In ms: a session may expire without an event. The browser reconnects. */
const MAX_STREAM_MS = 30 * 60_000;
const EVERY_ORGANISATION = "*";

interface Hub {
  epoch: string;
  /** A time rather than a count, so that gaps don't reveal other changes. */
  newest: number;
  /** By organization and topic. */
  changes: Map<string, number>;
  subscriptions: Set<Subscription>;
}

const hub = () =>
  kept(
    "live events",
    (): Hub => ({ epoch: randomUUID().slice(0, 8), newest: 0, changes: new Map(), subscriptions: new Set() }),
  );

const toVersion = (number: number) => `${hub().epoch}.${number}`;

function nextNumber(): number {
  const { newest } = hub();
  hub().newest = Math.max(newest + 1, Math.round(performance.now()));
  return hub().newest;
}

const keyOf = (orgId: string | null, topic: Topic) => `${orgId ?? EVERY_ORGANISATION} ${topic}`;

/** 0 if unchanged since the start. */
function newestOf(orgId: string, topic: Topic): number {
  const { changes } = hub();
  return Math.max(changes.get(keyOf(orgId, topic)) ?? 0, changes.get(keyOf(null, topic)) ?? 0);
}

function recordChange({ orgId, topic }: Pick<TopicChange, "orgId" | "topic">): string {
  const number = nextNumber();
  hub().changes.set(keyOf(orgId, topic), number);
  return toVersion(number);
}

export function publish(change: TopicChange): void {
  const version = recordChange(change);
  for (const subscription of hub().subscriptions)
    if (subscription.follows(change)) subscription.add(change, version);
}

/**
 * Call before a change that may hide something.
 * @returns a function for after the commit: it notifies earlier viewers without the id
 */
export function rememberViewers(change: TopicChange & { id: string }): () => void {
  const { topic, orgId, id, findVisible } = change;
  const viewers = [...hub().subscriptions].filter(
    (subscription) => subscription.follows(change) && findVisible(subscription.actor, [id]).has(id),
  );
  return () => {
    const version = recordChange(change);
    for (const viewer of viewers) viewer.add({ topic, orgId }, version);
  };
}

export function liveVersion(): string {
  return toVersion(hub().newest);
}

/** @throws AppError `forbidden` without any permitted topic, `rate_limited` for too many streams */
export function authoriseTopics(actor: Actor, requested: readonly Topic[]): Topic[] {
  const allowed = requested.filter((topic) => may(actor, topics[topic]));
  const [first] = requested;
  if (allowed.length === 0 && first) throw new AppError("forbidden", refusal(topics[first]));
  const own = [...hub().subscriptions].filter((one) => one.actor.userId === actor.userId);
  if (own.length >= MAX_STREAMS)
    throw new AppError("rate_limited", `At most ${MAX_STREAMS} live streams can be open at once.`, {
      retryAfter: 30,
    });
  return allowed;
}

interface SubscribeOptions extends Pick<SubscriptionOptions, "isBehind"> {
  topics: readonly Topic[];
  since?: string | undefined;
}

/** All topics after another start. */
function changedSince(
  orgId: string,
  followed: readonly Topic[],
  since: string | undefined,
): readonly Topic[] {
  const [epoch, number] = since?.split(".") ?? [];
  if (epoch !== hub().epoch) return followed;
  return followed.filter((topic) => newestOf(orgId, topic) > Number(number));
}

/**
 * Emits visible changes since a version, then new ones in batches. `undefined` marks the end: access changed, the
 * client stopped reading, or the time is up.
 * @returns a function to unsubscribe
 */
export function subscribe(
  actor: Actor,
  { topics: followed, since, isBehind }: SubscribeOptions,
  listener: (event: LiveEvent | undefined) => void,
): () => void {
  const { orgId, userId, tokenId, sessionId } = actor;
  const end = () => {
    stop();
    listener(undefined);
  };
  const subscription = new Subscription({ actor, topics: followed, isBehind, send: listener, end });
  const leaveAccess = onAccessChanged((changed, scope) => {
    if (changed !== userId || (scope.tokenId !== undefined && scope.tokenId !== tokenId)) return;
    // Visibility may have changed: subscribers read with their current rights.
    const version = toVersion(nextNumber());
    for (const topic of followed) listener({ topic, version });
    end();
  });
  const leaveSession = onSessionEnded((ended) => {
    // Another person may sign in, while the tab stays open.
    if (ended === sessionId) end();
  });
  const timer = runLater("the end of a live stream", MAX_STREAM_MS, end);
  function stop(): void {
    clearTimeout(timer);
    leaveAccess();
    leaveSession();
    subscription.close();
    hub().subscriptions.delete(subscription);
  }
  hub().subscriptions.add(subscription);
  for (const topic of changedSince(orgId, followed, since))
    listener({ topic, version: toVersion(newestOf(orgId, topic)) });
  return stop;
}

export function endStreams(): void {
  for (const subscription of [...hub().subscriptions]) subscription.end();
}
