import { z } from "zod";
import { tokensInBytes } from "~/ai/models/models.service.server";
import { type ProviderResponse, ProviderTimeout } from "~/ai/models/provider-client.service.server";
import type { ByteFlow, ByteReceiver } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import type { CallDetails } from "~/core/telemetry.server";
import { parseWellFormed } from "~/core/well-formed";
import { responseDetails } from "../call-details";
import type { StreamProgress } from "../protocols/errors";
import { type ProtocolName, protocolOf } from "../protocols/index";
import type { Protocol, StreamFormat } from "../protocols/protocol";
import { type Frame, type FrameKind, FrameReader, withoutNullUsage } from "../protocols/sse-frames";
import { mergeUsage, type TokenCounts, type WireUsage, WithUsage } from "../protocols/wire-usage";
import {
  type EventSilence,
  EventWatch,
  MAX_BUFFERED_BYTES,
  type ResponseSource,
  type ResponseWriter,
} from "./source";

/** Grace period for a provider to close after its response, in ms, so that the connection can be reused. */
const CLOSE_GRACE = 1000;

/** Sent if the provider reported the end but sends no marker. Only OpenAI's chat separates the two. */
const DONE = Buffer.from("data: [DONE]\n\n");

interface PassthroughOptions {
  protocol: ProtocolName;
  provider: string;
  /** Drops the usage that the caller didn't request. One that a provider adds to a frame of the answer stays. */
  hideUsage: boolean;
  /** Estimate in tokens, for a requested usage that the provider doesn't send. */
  inputTokens: number;
  silence: EventSilence;
  signal: AbortSignal;
}

function errorIn({ data }: Frame): unknown {
  try {
    const parsed: unknown = parseWellFormed(data);
    return typeof parsed === "object" && parsed !== null && "error" in parsed ? parsed.error : parsed;
  } catch {
    return data.slice(0, 1000);
  }
}

/** A promise resolved from outside; its rejection may go unhandled. */
class Deferred {
  resolve: () => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.promise.catch(() => undefined);
  }
}

/** Forwards a stream's frames with every byte, within one event-loop tick. */
export class PassthroughStream implements ResponseSource, ByteReceiver {
  readonly #options: PassthroughOptions;
  readonly #frames = new FrameReader();
  readonly #watch: StreamWatch;
  readonly #events: EventWatch;
  /** Unset while the constructor receives buffered bytes. */
  #flow: ByteFlow | undefined;
  readonly #begun = new Deferred();
  readonly #ended = new Deferred();
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #writer: ResponseWriter | undefined;
  #isSlow = false;
  #isOver = false;
  /** Reported once everything before it is written. */
  #failure: { error: unknown } | undefined;
  #isEmpty = true;
  #isMidEvent = false;
  #closing: NodeJS.Timeout | undefined;

  constructor(response: Pick<ProviderResponse, "receive">, options: PassthroughOptions) {
    this.#options = options;
    this.#watch = new StreamWatch(options.protocol);
    this.#events = new EventWatch(
      options.provider,
      options.silence,
      (tooSlow) => this.#onTimeout(tooSlow),
      (withoutContent) => this.#onConnectionEnd(withoutContent),
    );
    this.#events.wait();
    this.#flow = response.receive(this);
    if (this.#isOver && !this.#closing) this.#flow.cancel();
    else if (this.#bufferedBytes > MAX_BUFFERED_BYTES) this.#flow.pause();
  }

  get usage(): TokenCounts {
    return this.#watch.usage;
  }

  get textBytes(): number {
    return this.#watch.textBytes;
  }

  get progress(): StreamProgress {
    return this.#watch.progress;
  }

  get details(): CallDetails {
    return this.#watch.details;
  }

  begin(): Promise<void> {
    return this.#begun.promise;
  }

  relay(writer: ResponseWriter): Promise<void> {
    this.#writer = writer;
    this.#resume();
    return this.#ended.promise;
  }

  cancel(): void {
    if (!this.#isOver) this.#stop();
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#isEmpty = false;
    this.#read(() => this.#frames.push(chunk));
  }

  /** What a frame's reading throws ends the answer: this is called by the connection, which has nobody to tell. */
  #read(next: () => readonly Frame[]): void {
    try {
      this.#inspect(next());
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    clearTimeout(this.#closing);
    if (this.#isOver) return;
    this.#read(() => {
      const rest = this.#frames.rest();
      return rest ? [rest] : [];
    });
    clearTimeout(this.#closing);
    if (this.#isOver) return;
    if (this.#watch.finished) {
      for (const frame of this.#missingUsage()) this.#forward(frame);
      this.#finish();
    } else if (this.#isEmpty) this.#fail(this.#error("sent an empty response"));
    else this.#fail(this.#error("closed the connection before its response was complete"));
  }

  fail(error: unknown): void {
    clearTimeout(this.#closing);
    this.#onConnectionEnd(error);
  }

  /** The connection ended: an error unless the response was complete. */
  #onConnectionEnd(error: unknown): void {
    if (this.#isOver) return;
    if (this.#watch.finished && !this.#options.signal.aborted) {
      this.#forward(Buffer.concat([...this.#missingUsage(), DONE]));
      this.#stop();
      this.#finish();
    } else this.#fail(error);
  }

  #onTimeout(tooSlow: AppError): void {
    const { firstByteMs, betweenBytesMs } = this.#options.silence;
    const silent = this.#isEmpty
      ? new ProviderTimeout(firstByteMs, false)
      : new ProviderTimeout(betweenBytesMs);
    this.#onConnectionEnd(this.#isMidEvent ? tooSlow : silent);
  }

  #inspect(frames: readonly Frame[]): void {
    const forwarded: Buffer[] = [];
    let isEnd = false;
    for (const frame of frames) {
      const kind = this.#watch.take(frame);
      if (kind === "error") this.#failure = { error: errorIn(frame) };
      if (kind === "broken") this.#failure = { error: this.#error("sent an invalid event") };
      if (this.#failure) break;
      if (kind === "end") forwarded.push(...this.#missingUsage());
      if (!this.#options.hideUsage) forwarded.push(frame.bytes);
      else if (kind !== "usage") forwarded.push(withoutNullUsage(frame));
      if (kind === "token") this.#events.content();
      if (kind === "token" || kind === "thought" || this.#watch.finished) this.#begun.resolve();
      isEnd = kind === "end";
      if (isEnd) break;
    }
    this.#isMidEvent = !this.#frames.isEmpty;
    if (frames.length > 0) this.#events.event();
    const [first] = forwarded;
    if (first) this.#forward(forwarded.length > 1 ? Buffer.concat(forwarded) : first);
    if (this.#failure) this.#fail(this.#failure.error);
    else if (isEnd) this.#closeAfterGrace();
  }

  /** The frame that the caller requested and the provider didn't send, counted here. */
  #missingUsage(): Buffer[] {
    const { hideUsage, inputTokens: estimate, protocol } = this.#options;
    const { inputTokens, outputTokens } = this.#watch.usage;
    const frame = protocolOf(protocol).stream?.usageFrame;
    if (hideUsage || !frame || inputTokens !== undefined || outputTokens !== undefined) return [];
    const usage = { inputTokens: estimate, outputTokens: tokensInBytes(this.textBytes) };
    return [Buffer.from(frame(this.#watch.details, usage))];
  }

  #forward(bytes: Uint8Array): void {
    this.#buffered.push(bytes);
    this.#bufferedBytes += bytes.length;
    if (this.#writer && !this.#isSlow) this.#flush();
    else if (this.#bufferedBytes > MAX_BUFFERED_BYTES) this.#pauseUpstream();
  }

  /** Writes all buffered bytes at once and waits for a slow caller. */
  #flush(): void {
    const { length } = this.#buffered;
    const [first] = this.#buffered;
    let waiting: Promise<void> | undefined;
    if (first) {
      const bytes = length > 1 ? Buffer.concat(this.#buffered) : first;
      this.#buffered = [];
      this.#bufferedBytes = 0;
      try {
        waiting = this.#writer?.write(bytes);
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
    if (waiting) {
      this.#isSlow = true;
      this.#pauseUpstream();
      waiting.then(
        () => this.#resume(),
        (error: unknown) => {
          this.#isSlow = false;
          this.#buffered = [];
          this.#fail(error);
        },
      );
    } else if (this.#isOver) this.#settle();
  }

  #resume(): void {
    this.#isSlow = false;
    this.#flush();
    if (this.#isSlow || this.#isOver) return;
    this.#events.wait();
    this.#flow?.resume();
  }

  #pauseUpstream(): void {
    if (this.#isOver) return;
    this.#events.pause();
    this.#flow?.pause();
    this.#begun.resolve();
  }

  #error(what: string): AppError {
    return new AppError("provider_unavailable", `${this.#options.provider} ${what}.`);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    // A stream that failed before its beginning wrote nothing.
    this.#begun.reject(error);
    if (!this.#isOver) this.#stop();
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#events.stop();
    this.#begun.resolve();
    if (this.#writer && !this.#isSlow) this.#settle();
  }

  #settle(): void {
    if (this.#failure) this.#ended.reject(this.#failure.error);
    else this.#ended.resolve();
  }

  #stop(): void {
    this.#isOver = true;
    this.#events.stop();
    this.#flow?.cancel();
  }

  /** The response is complete without waiting for the connection's end. */
  #closeAfterGrace(): void {
    this.#isOver = true;
    this.#closing = setTimeout(() => this.#flow?.cancel(), CLOSE_GRACE);
    this.#finish();
  }
}

function parseJson(data: string): unknown {
  try {
    return parseWellFormed(data);
  } catch {
    return undefined;
  }
}

const Deltas = z.object({
  delta: z.unknown().optional(),
  choices: z.array(z.object({ delta: z.unknown().optional() })).nullish(),
});

function deltasOf(json: unknown): unknown[] {
  const { delta, choices } = Deltas.safeParse(json).data ?? {};
  return [delta, ...(choices ?? []).map((choice) => choice.delta)];
}

/** Members of a delta that aren't of its text. */
const NO_TEXT = new Set(["type", "role", "id", "name", "signature", "data"]);

/** Bytes of the texts in a delta, of which no protocol nests more than a few. */
function textBytesOf(delta: unknown, depth = 0): number {
  if (typeof delta === "string") return Buffer.byteLength(delta);
  if (typeof delta !== "object" || delta === null || depth > 8) return 0;
  return Object.entries(delta).reduce(
    (sum, [name, value]) => sum + (NO_TEXT.has(name) ? 0 : textBytesOf(value, depth + 1)),
    0,
  );
}

export class StreamWatch {
  readonly #protocol: Protocol;
  readonly #format: StreamFormat;
  #usage: WireUsage;
  #finished = false;
  #progress: StreamProgress = {};
  details: CallDetails = {};
  /** Of the texts of all frames. */
  textBytes = 0;

  constructor(name: ProtocolName) {
    this.#protocol = protocolOf(name);
    if (!this.#protocol.stream) throw new Error(`${name} has no streams.`);
    this.#format = this.#protocol.stream;
  }

  take({ event, data }: Frame): FrameKind {
    const frame = { event, data, json: parseJson(data) };
    const kind = this.#format.classify(frame);
    if (kind === "token" || kind === "thought") this.textBytes += textBytesOf(deltasOf(frame.json));
    const { usage, message, response } = WithUsage.parse(frame.json);
    this.#usage = mergeUsage(this.#usage, usage ?? message?.usage ?? response?.usage);
    this.details = responseDetails(this.details, frame.json);
    // An error's own words stay here.
    if (kind !== "error") this.#progress = { ...this.#progress, ...this.#format.progressOf?.(frame) };
    if (kind === "end" || this.#format.endsResponse?.(frame)) this.#finished = true;
    return kind;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get progress(): StreamProgress {
    return this.#progress;
  }

  get usage(): TokenCounts {
    return this.#usage ? this.#protocol.countTokens(this.#usage) : {};
  }
}
