import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { AppError } from "../errors";
import { tooLargeError } from "./errors.server";

interface BodySettings {
  host: string;
  encoding: string;
  length: number;
  maxBytes: number;
  controller: Pick<Dispatcher.DispatchController, "pause" | "resume">;
  onFail: (error: unknown) => void;
  onDone: () => void;
}

/** Buffered bytes before the socket is paused. */
const READ_AHEAD = 64 * 1024;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function makeDecoder(encoding: string, host: string): Transform | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  // Stacked content codings are a decompression-bomb pattern.
  if (!make) {
    throw new AppError("provider_unavailable", `${host} uses an unsupported content encoding.`, {
      permanent: true,
    });
  }
  return make();
}

export interface ByteReceiver {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: unknown): void;
}

export interface ByteFlow {
  pause(): void;
  resume(): void;
  cancel(): void;
}

/**
 * A response body, decoded and size-limited, with backpressure.
 * @throws AppError for an excessive Content-Length or an unknown encoding
 */
export class ResponseBody {
  readonly #settings: BodySettings;
  readonly #decoder: Transform | undefined;
  #receiver: ByteReceiver | undefined;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #received = 0;
  #closed = false;
  #failure: { reason: unknown } | undefined;

  constructor(settings: BodySettings) {
    this.#settings = settings;
    if (settings.length > settings.maxBytes) throw tooLargeError(settings.host, settings.maxBytes);
    this.#decoder = makeDecoder(settings.encoding, settings.host);
    this.#decoder
      ?.on("data", (chunk: Buffer) => this.#deliver(chunk))
      .on("drain", () => settings.controller.resume())
      .on("end", () => this.#close())
      .on("error", (cause) => {
        const message = `${settings.host} sent data that can't be decompressed.`;
        settings.onFail(new AppError("provider_unavailable", message, { cause }));
      });
  }

  /** Delivers buffered and future bytes to a receiver. Call once. */
  receive(receiver: ByteReceiver): ByteFlow {
    this.#receiver = receiver;
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) receiver.data(chunk);
    if (this.#failure) receiver.fail(this.#failure.reason);
    else if (this.#closed) receiver.end();
    else if (early.length > 0) this.#resume();
    return {
      pause: () => this.#pause(),
      resume: () => this.#resume(),
      cancel: () => this.#cancel(),
    };
  }

  stream(): ReadableStream<Uint8Array> {
    let flow: ByteFlow | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (sink) => {
          flow = this.receive({
            data: (chunk) => {
              sink.enqueue(chunk);
              if ((sink.desiredSize ?? 0) <= 0) this.#pause();
            },
            end: () => sink.close(),
            fail: (reason) => sink.error(reason),
          });
        },
        pull: () => flow?.resume(),
        cancel: () => flow?.cancel(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }),
    );
  }

  push(chunk: Buffer): void {
    if (this.#closed) return;
    if (!this.#decoder) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk)) this.#settings.controller.pause();
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#close();
  }

  fail(reason: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#decoder?.destroy();
    if (this.#receiver) this.#receiver.fail(reason);
    else this.#failure = { reason };
  }

  #cancel(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#decoder?.destroy();
    this.#settings.onFail(new Error("cancelled"));
  }

  #deliver(chunk: Buffer): void {
    if (this.#closed) return;
    this.#received += chunk.byteLength;
    const { host, maxBytes, onFail } = this.#settings;
    if (this.#received > maxBytes) {
      onFail(tooLargeError(host, maxBytes));
      return;
    }
    if (this.#receiver) {
      this.#receiver.data(chunk);
      return;
    }
    this.#early.push(chunk);
    this.#earlyBytes += chunk.byteLength;
    if (this.#earlyBytes > READ_AHEAD) this.#pause();
  }

  #pause(): void {
    if (this.#decoder) this.#decoder.pause();
    else this.#settings.controller.pause();
  }

  #resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.#settings.controller.resume();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#receiver?.end();
    this.#settings.onDone();
  }
}
