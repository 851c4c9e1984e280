import { randomUUID } from "node:crypto";
import { onAccessChanged, onSessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { type Topic, topics } from "~/platform/catalogue/topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import type { LiveEvent } from "./events.schema";

const MAX_STREAMS = 16;
/** In ms: a session may expire without an event. The browser reconnects. */
const MAX_STREAM_MS = 30 * 60_000;
const EVERY_ORGANISATION = "*";

interface Hub {
  epoch: string;
  /** A time rather than a count, so that gaps don't reveal other changes. */
  newest: number;
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

/** Call before a change that may hide something. @returns what tells earlier viewers after the commit, without the id */
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

/** Minimum interval between deliveries, in ms. */
const MIN_INTERVAL = 500;
/** Delay after a quiet time, in ms, so that changes are batched. */
const BATCH_DELAY = 20;
/** Changed objects per stream; more become one change of their topic. */
const MAX_WAITING = 200;
/** Time after which a client that doesn't read is disconnected, in ms. */
const MAX_BEHIND = 60_000;

type FindVisible = (actor: Actor, ids: readonly string[]) => ReadonlySet<string>;

/** Null concerns every organization. Only viewers of the object get its id. */
export type TopicChange = { topic: Topic; orgId: string | null } & (
  | { id?: undefined; findVisible?: undefined }
  | { id: string; findVisible: FindVisible }
);

interface SubscriptionOptions {
  actor: Actor;
  topics: readonly Topic[];
  isBehind: () => boolean;
  send: (event: LiveEvent) => void;
  end: () => void;
}

const numberOf = ({ version }: LiveEvent) => Number(version.split(".")[1]);
const byVersion = (a: LiveEvent, b: LiveEvent) => numberOf(a) - numberOf(b);

class Subscription {
  readonly actor: Actor;
  readonly end: () => void;
  readonly #options: SubscriptionOptions;
  readonly #topics = new Map<Topic, string>();
  readonly #objects = new Map<FindVisible, { topic: Topic; versions: Map<string, string> }>();
  #timer: NodeJS.Timeout | undefined;
  #deliveredAt = Number.NEGATIVE_INFINITY;
  #behindSince: number | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.actor = options.actor;
    this.end = options.end;
  }

  follows({ topic, orgId }: Pick<TopicChange, "topic" | "orgId">): boolean {
    return (orgId === null || orgId === this.actor.orgId) && this.#options.topics.includes(topic);
  }

  add({ topic, id, findVisible }: TopicChange, version: string): void {
    if (id === undefined) this.#topics.set(topic, version);
    else {
      const objects = this.#objects.get(findVisible) ?? { topic, versions: new Map<string, string>() };
      this.#objects.set(findVisible, objects);
      objects.versions.delete(id);
      objects.versions.set(id, version);
      if (objects.versions.size > MAX_WAITING) {
        this.#objects.delete(findVisible);
        this.#topics.set(topic, version);
      }
    }
    const wait = Math.max(BATCH_DELAY, this.#deliveredAt + MIN_INTERVAL - performance.now());
    this.#timer ??= runLater("a live stream", wait, () => this.#deliver());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#topics.clear();
    this.#objects.clear();
  }

  #deliver(): void {
    this.#timer = undefined;
    const now = performance.now();
    if (this.#options.isBehind()) {
      this.#behindSince ??= now;
      if (now - this.#behindSince > MAX_BEHIND) this.end();
      else this.#timer = runLater("a live stream", MIN_INTERVAL, () => this.#deliver());
      return;
    }
    this.#behindSince = undefined;
    this.#deliveredAt = now;
    const changed = [...this.#topics].map(([topic, version]) => ({ topic, version }));
    // A client resumes after the last version.
    const events = [...this.#visibleObjects(), ...changed].sort(byVersion);
    this.#topics.clear();
    this.#objects.clear();
    for (const event of events) this.#options.send(event);
  }

  #visibleObjects(): LiveEvent[] {
    const events: LiveEvent[] = [];
    for (const [findVisible, { topic, versions }] of this.#objects) {
      try {
        const visible = findVisible(this.actor, [...versions.keys()]);
        for (const [id, version] of versions) if (visible.has(id)) events.push({ topic, id, version });
      } catch (error) {
        log.warn("the rights of a live stream could not be read", { error });
        this.end();
        return [];
      }
    }
    return events;
  }
}
