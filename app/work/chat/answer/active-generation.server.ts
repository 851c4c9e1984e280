import { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { Question, QuestionEnd } from "~/ai/tools/question.schema";
import type { Countdown } from "~/core/abort";
import { onAccessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError, RESTARTING } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { type AnswerState, emptyAnswer } from "../answer-state.shared";
import { insertEvents, listEventGroups } from "../chat.repo.server";
import { foldChunk } from "../fold-answer.shared";

/** Maximum delay before received text is committed, in ms. */
const GROUP_TIME = 50;
/** Delay before a failed commit is retried, in ms. */
const RETRY_TIME = 10 * GROUP_TIME;

interface Pending {
  firstId: number;
  events: string[];
}

/** Commits the events of all running answers together: 500 streams with a commit each would be too slow. */
export class EventBuffer {
  private pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;

  add(messageId: string, id: number, event: string): void {
    const group = this.pending.get(messageId);
    if (group) group.events.push(event);
    else this.pending.set(messageId, { firstId: id, events: [event] });
    if (!this.timer) this.schedule(GROUP_TIME);
  }

  pendingOf(messageId: string): Pending | undefined {
    return this.pending.get(messageId);
  }

  /** @throws if the database fails; the events stay queued */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.size === 0) return;
    try {
      transaction((tx) => {
        for (const [messageId, { firstId, events }] of this.pending) {
          const lastId = firstId + events.length - 1;
          insertEvents(tx, { messageId, firstId, lastId, events: `[${events.join(",")}]` });
        }
      });
    } catch (error) {
      // Retries without waiting for another event.
      this.schedule(RETRY_TIME);
      throw error;
    }
    this.pending = new Map();
  }

  private schedule(time: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flushTogether(), time);
  }

  /** Shares a commit with other writes. Never throws: failed events stay queued. @returns whether they are on disk */
  async flushTogether(): Promise<boolean> {
    let flushed: Map<string, Pending> | undefined;
    const work = () => {
      flushed = this.pending;
      this.flush();
    };
    try {
      await groupedTransaction(work);
      return true;
    } catch (error) {
      // The shared commit can fail after these writes.
      if (flushed && flushed !== this.pending) this.requeue(flushed);
      log.error("events of answers could not be stored; retrying", { error, count: this.pending.size });
      this.schedule(RETRY_TIME);
      return false;
    }
  }

  private requeue(written: ReadonlyMap<string, Pending>): void {
    for (const [messageId, { firstId, events }] of written) {
      const newer = this.pending.get(messageId)?.events ?? [];
      this.pending.set(messageId, { firstId, events: [...events, ...newer] });
    }
  }
}

/** Where an answer's events are kept. */
export type EventLog = Pick<EventBuffer, "add" | "flushTogether">;

export type StopReason = "stopped" | "interrupted" | "revoked" | "time-limit";

/** Receives each event; `undefined` marks the end, with a message if a restart cut the answer off. */
export type AnswerListener = (
  event: { id: number; json: string; chunk: StreamChunk } | undefined,
  interruption?: string,
) => void;

export class ActiveGeneration {
  state: AnswerState;
  /** Open questions of its calls, by id: they can be answered as long as their call runs. */
  readonly questions = new Map<string, { question: Question; tool: string; end(end: QuestionEnd): void }>();
  /** To its time limit. */
  countdown: Countdown | undefined;
  stopReason: StopReason | undefined;
  private readonly listeners = new Set<AnswerListener>();
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  private settle: () => void = () => {};
  /** Resolves when the answer is stored. */
  readonly done = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  constructor(
    readonly conversationId: string,
    readonly messageId: string,
    readonly actor: Actor,
    private lastId: number,
    private readonly eventLog: EventLog,
    /** Content before the continuation. */
    before?: AnswerState,
  ) {
    this.state = before ?? emptyAnswer();
  }

  get isFollowed(): boolean {
    return this.listeners.size > 0;
  }

  get lastEventId(): number {
    return this.lastId;
  }

  emit(chunk: StreamChunk): void {
    const id = ++this.lastId;
    const json = JSON.stringify(chunk);
    this.state = foldChunk(this.state, chunk);
    this.eventLog.add(this.messageId, id, json);
    if (chunk.type === "data-step-state") return;
    for (const listener of this.listeners) this.notify(listener, { id, json, chunk });
  }

  /** Emits an event that must be on disk before the work goes on. @throws AppError `unavailable` if it can't be stored */
  async emitStored(chunk: StreamChunk): Promise<void> {
    this.emit(chunk);
    if (await this.eventLog.flushTogether()) return;
    throw new AppError("unavailable", "The call couldn't be recorded, so it wasn't made.");
  }

  /** One listener's failure must not affect the answer or other listeners. */
  private notify(listener: AnswerListener, ...event: Parameters<AnswerListener>): void {
    try {
      listener(...event);
    } catch (error) {
      log.error("a listener of an answer failed", { error, messageId: this.messageId });
      this.listeners.delete(listener);
    }
  }

  listen(listener: AnswerListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Stops the generation, at the provider too. The first reason counts. */
  stop(reason: StopReason): void {
    this.stopReason ??= reason;
    this.controller.abort();
  }

  finish(): void {
    const interruption = this.stopReason === "interrupted" ? RESTARTING : undefined;
    for (const listener of [...this.listeners]) this.notify(listener, undefined, interruption);
    this.listeners.clear();
    this.settle();
  }
}

export interface StartedGeneration {
  conversationId: string;
  messageId: string;
  /** The event before this answer's first. */
  lastEventId: number;
}

interface Answers {
  eventBuffer: EventBuffer;
  live: Map<string, ActiveGeneration>;
  stopListening: () => void;
  stopping: boolean;
}

const holder = () => kept("answers", (): { answers?: Answers | undefined } => ({}));

function newAnswers(): Answers {
  const live = new Map<string, ActiveGeneration>();
  const stopListening = onAccessChanged((userId, { tokenId }) => {
    for (const answer of live.values()) {
      if (answer.actor.userId !== userId) continue;
      if (tokenId === undefined || answer.actor.tokenId === tokenId) answer.stop("revoked");
    }
  });
  return { eventBuffer: new EventBuffer(), live, stopListening, stopping: false };
}

export function activeAnswers(): Answers {
  const here = holder();
  here.answers ??= newAnswers();
  return here.answers;
}

/** Accepts generations again after a stop, as in development. */
export function allowAnswers(): void {
  if (holder().answers?.stopping) holder().answers = undefined;
}

/** @throws AppError `unavailable` during shutdown */
export function assertNotStopping(): void {
  if (activeAnswers().stopping) throw new AppError("unavailable", RESTARTING);
}

export function findActiveGeneration(conversationId: string): ActiveGeneration | undefined {
  return activeAnswers().live.get(conversationId);
}

function allEvents(messageId: string, afterId: number): { id: number; event: unknown }[] {
  const stored = listEventGroups(db(), messageId, afterId).flatMap(({ firstId, events }) =>
    (JSON.parse(events) as unknown[]).map((event, index) => ({ id: firstId + index, event })),
  );
  const { firstId = 0, events = [] } = activeAnswers().eventBuffer.pendingOf(messageId) ?? {};
  const pending = events.map((json, index) => ({ id: firstId + index, event: JSON.parse(json) as unknown }));
  return [...stored, ...pending].filter(({ id }) => id > afterId);
}

/** The events that a reader gets. */
export function eventsAfter(messageId: string, afterId: number): { id: number; chunk: StreamChunk }[] {
  return allEvents(messageId, afterId).flatMap(({ id, event }) => {
    const chunk = StreamChunk.parse(event);
    return chunk.type === "data-step-state" ? [] : [{ id, chunk }];
  });
}

/** Content and last event id of an answer whose end wasn't stored. */
export function foldStored(messageId: string): { state: AnswerState; lastId: number } {
  const events = allEvents(messageId, 0);
  const chunks = events.flatMap(({ event }) => StreamChunk.safeParse(event).data ?? []);
  return { state: chunks.reduce(foldChunk, emptyAnswer()), lastId: events.at(-1)?.id ?? 0 };
}
