import type { Actor } from "~/core/actor";
import { runLater } from "~/core/background.server";
import { log } from "~/core/log.server";
import type { Topic } from "~/platform/catalogue/topics";
import type { LiveEvent } from "./events.schema";

/** Minimum interval between deliveries, in ms. */
const MIN_INTERVAL = 500;
/** Delay after a quiet time, in ms, so that changes are batched. */
const BATCH_DELAY = 20;
/** Changed objects per stream; more become one change of their topic. */
const MAX_WAITING = 200;
/** Time after which a client that doesn't read is disconnected, in ms. */
const MAX_BEHIND = 60_000;

export type FindVisible = (actor: Actor, ids: readonly string[]) => ReadonlySet<string>;

/** Null concerns every organization. Only viewers of the object get its id. */
export type TopicChange = { topic: Topic; orgId: string | null } & (
  | { id?: undefined; findVisible?: undefined }
  | { id: string; findVisible: FindVisible }
);

export interface SubscriptionOptions {
  actor: Actor;
  topics: readonly Topic[];
  isBehind: () => boolean;
  send: (event: LiveEvent) => void;
  end: () => void;
}

const numberOf = ({ version }: LiveEvent) => Number(version.split(".")[1]);
const byVersion = (a: LiveEvent, b: LiveEvent) => numberOf(a) - numberOf(b);

export class Subscription {
  readonly actor: Actor;
  readonly end: () => void;
  readonly #options: SubscriptionOptions;
  readonly #topics = new Map<Topic, string>();
  /** Versions by id, grouped by their visibility check. */
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
