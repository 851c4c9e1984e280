import { AppError } from "~/core/errors";
import { dataOf, FrameSplitter } from "../protocols/sse-frames";
import { StreamWatch } from "../protocols/stream-watch";
import { EventWatch } from "./event-watch";
import type { AnswerSource } from "./source";

/** How long a provider may take to close its answer after its end, so that its connection can be used again, in ms. */
const CLOSING = 1000;

interface PassedOptions {
  body: ReadableStream<Uint8Array>;
  protocol: ConstructorParameters<typeof StreamWatch>[0];
  /** The provider's name for a person. */
  provider: string;
  /** Leaves out the frame that tells the usage and nothing else: the caller didn't ask for it. */
  hideUsage: boolean;
  /** Between two whole events, in milliseconds: single bytes that never become one don't count. */
  eventMs: number;
}

/** What a provider said about its error, for the one who explains it. */
function errorIn(frame: Buffer): unknown {
  const data = dataOf(frame);
  try {
    const parsed: unknown = JSON.parse(data);
    return typeof parsed === "object" && parsed !== null && "error" in parsed ? parsed.error : parsed;
  } catch {
    return data.slice(0, 1000);
  }
}

/** A provider's event stream in the caller's own protocol: its bytes pass as they are, and only what they tell is read. */
export class PassedStream implements AnswerSource {
  begun = false;
  readonly #options: PassedOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #splitter = new FrameSplitter();
  readonly #watch: StreamWatch;
  readonly #events: EventWatch;
  #over = false;
  /** Where it goes wrong; thrown once what came before is passed on. */
  #failure: { error: unknown } | undefined;

  constructor(options: PassedOptions) {
    this.#options = options;
    this.#reader = options.body.getReader();
    this.#watch = new StreamWatch(options.protocol);
    this.#events = new EventWatch(options.provider, options.eventMs, () => this.cancel());
  }

  get usage() {
    return this.#watch.usage;
  }

  async pull(): Promise<Uint8Array | undefined> {
    while (!this.#over) {
      const passed = await this.#next();
      if (passed) return passed;
    }
    this.#events.assert();
    if (this.#failure) throw this.#failure.error;
    return undefined;
  }

  cancel(): void {
    this.#end();
    this.#reader.cancel().catch(() => undefined);
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#reader.read();
      if (!done) return this.#look(this.#splitter.push(value));
      const rest = this.#splitter.rest();
      const passed = rest.length > 0 ? this.#look([rest]) : undefined;
      this.#end();
      if (!this.#watch.finished) this.#fail("broke off in the middle of its answer");
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
      if (kind === "broken") this.#fail("sent an event that could not be read");
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
    if (frames.length > 0 && !this.#over) this.#events.event();
    return kept.length > 1 ? Buffer.concat(kept) : kept[0];
  }

  #fail(what: string): void {
    this.#failure ??= { error: new AppError("provider_unavailable", `${this.#options.provider} ${what}.`) };
  }

  #end(): void {
    this.#over = true;
    this.#events.end();
  }

  /** The answer is complete: the caller doesn't wait for the connection's own end. */
  #letClose(): void {
    this.#end();
    const timer = setTimeout(() => void this.#reader.cancel().catch(() => undefined), CLOSING);
    const read = (): Promise<void> =>
      this.#reader.read().then(
        ({ done }) => (done ? clearTimeout(timer) : read()),
        () => clearTimeout(timer),
      );
    void read();
  }
}
