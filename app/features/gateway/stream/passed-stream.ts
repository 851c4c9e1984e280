import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { dataOf, FrameSplitter } from "../protocols/sse-frames";
import { StreamWatch } from "../protocols/stream-watch";
import { EventWatch } from "./event-watch";
import type { AnswerSource } from "./source";

/** How long a provider may take to close its answer after its end, so that its connection can be used again, in ms. */
const CLOSING = 1000;

/**
 * Ends a caller's stream if the provider has reported the end of the answer but neither sends the final marker nor
 * closes. Only in OpenAI's chat are these two separate.
 */
const DONE = Buffer.from("data: [DONE]\n\n");

interface PassedOptions {
  body: ReadableStream<Uint8Array>;
  protocol: ConstructorParameters<typeof StreamWatch>[0];
  /** The provider's name for a person. */
  provider: string;
  /** Drops the frame with nothing but usage: the caller didn't ask for it. */
  hideUsage: boolean;
  /** Between two whole events, in milliseconds: single bytes that never become one don't count. */
  eventMs: number;
  /** Fires when the caller leaves. */
  signal: AbortSignal;
}

/** What a provider said about its error, for the one who explains it. */
function errorIn(frame: Buffer): unknown {
  const data = dataOf(frame);
  try {
    const parsed: unknown = parseWellFormed(data);
    return typeof parsed === "object" && parsed !== null && "error" in parsed ? parsed.error : parsed;
  } catch {
    return data.slice(0, 1000);
  }
}

/** A provider's event stream in the caller's own protocol: its bytes pass unchanged, and only events are read. */
export class PassedStream implements AnswerSource {
  begun = false;
  readonly #options: PassedOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #splitter = new FrameSplitter();
  readonly #watch: StreamWatch;
  readonly #events: EventWatch;
  #over = false;
  /** The error; thrown once everything before it is passed on. */
  #failure: { error: unknown } | undefined;

  constructor(options: PassedOptions) {
    this.#options = options;
    this.#reader = options.body.getReader();
    this.#watch = new StreamWatch(options.protocol);
    this.#events = new EventWatch(options.provider, options.eventMs, () => this.#letGo());
  }

  get usage() {
    return this.#watch.usage;
  }

  async pull(): Promise<Uint8Array | undefined> {
    while (!this.#over) {
      const passed = await this.#next();
      if (passed) return passed;
    }
    if (this.#failure) throw this.#failure.error;
    return undefined;
  }

  cancel(): void {
    this.#over = true;
    this.#letGo();
  }

  #letGo(): void {
    this.#reader.cancel().catch(() => undefined);
  }

  /** @returns undefined when nothing follows after the reported end of an answer */
  async #read(): Promise<ReadableStreamReadResult<Uint8Array> | undefined> {
    this.#events.wait();
    try {
      const next = await this.#reader.read();
      this.#events.assert();
      return next;
    } catch (error) {
      if (this.#watch.finished && !this.#options.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#events.pause();
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const next = await this.#read();
      if (!next) {
        this.cancel();
        return DONE;
      }
      if (!next.done) return this.#look(this.#splitter.push(next.value));
      const rest = this.#splitter.rest();
      const passed = rest.length > 0 ? this.#look([rest]) : undefined;
      this.#over = true;
      if (!this.#watch.finished) this.#fail("closed the connection before its answer was complete");
      return passed;
    } catch (error) {
      this.#failure ??= { error };
      this.cancel();
      return undefined;
    }
  }

  /** @returns the bytes to pass on */
  #look(frames: readonly Buffer[]): Uint8Array | undefined {
    const kept: Buffer[] = [];
    for (const frame of frames) {
      const kind = this.#watch.take(frame);
      if (kind === "error") this.#failure = { error: errorIn(frame) };
      if (kind === "broken") this.#fail("sent an invalid event");
      if (this.#failure) {
        this.cancel();
        break;
      }
      if (kind !== "usage" || !this.#options.hideUsage) kept.push(frame);
      if (kind === "token" || this.#watch.finished) this.begun = true;
      if (kind === "end") {
        this.#letClose();
        break;
      }
    }
    if (frames.length > 0) this.#events.event();
    return kept.length > 1 ? Buffer.concat(kept) : kept[0];
  }

  #fail(what: string): void {
    this.#failure ??= { error: new AppError("provider_unavailable", `${this.#options.provider} ${what}.`) };
  }

  /** The answer is complete: the caller doesn't wait for the connection's own end. */
  #letClose(): void {
    this.#over = true;
    const timer = setTimeout(() => this.#letGo(), CLOSING);
    const read = (): Promise<void> =>
      this.#reader.read().then(
        ({ done }) => (done ? clearTimeout(timer) : read()),
        () => clearTimeout(timer),
      );
    void read();
  }
}
