import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { Actor } from "~/core/actor";
import { AppError, RESTARTING } from "~/core/errors";
import { log } from "~/core/log.server";
import { type AnswerState, emptyAnswer, foldChunk } from "../answer-state.shared";
import type { EventBuffer } from "./event-buffer.server";

/** Why a generation was ended from outside. */
export type StopReason = "stopped" | "interrupted" | "revoked" | "time-limit";

/** Receives each event; `undefined` marks the end, with a message if a restart cut the answer off. */
export type AnswerListener = (
  event: { id: number; json: string; chunk: StreamChunk } | undefined,
  interruption?: string,
) => void;

export class ActiveGeneration {
  state: AnswerState;
  stopReason: StopReason | undefined;
  private readonly listeners = new Set<AnswerListener>();
  private readonly controller = new AbortController();
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
    private readonly eventBuffer: EventBuffer,
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

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  emit(chunk: StreamChunk): void {
    const id = ++this.lastId;
    const json = JSON.stringify(chunk);
    this.state = foldChunk(this.state, chunk);
    this.eventBuffer.add(this.messageId, id, json);
    for (const listener of this.listeners) this.notify(listener, { id, json, chunk });
  }

  /** Emits an event that must be on disk before the work goes on. @throws AppError `unavailable` if it can't be stored */
  async emitStored(chunk: StreamChunk): Promise<void> {
    this.emit(chunk);
    if (await this.eventBuffer.flushTogether()) return;
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

  /** Ends all listeners' streams, but not the answer. */
  dismissListeners(): void {
    const interruption = this.stopReason === "interrupted" ? RESTARTING : undefined;
    for (const listener of [...this.listeners]) this.notify(listener, undefined, interruption);
    this.listeners.clear();
  }

  /** Stops the generation, at the provider too. The first reason counts. */
  stop(reason: StopReason): void {
    this.stopReason ??= reason;
    this.controller.abort();
  }

  finish(): void {
    this.dismissListeners();
    this.settle();
  }
}
