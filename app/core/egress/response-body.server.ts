import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { AppError } from "../errors";
import { tooLarge } from "./errors.server";

interface BodySettings {
  host: string;
  /** The Content-Encoding header. */
  encoding: string;
  /** The Content-Length header; 0 when unknown. */
  length: number;
  maxBytes: number;
  controller: Pick<Dispatcher.DispatchController, "pause" | "resume">;
  onFail: (error: unknown) => void;
  onDone: () => void;
}

/** What a reader may lag behind before the socket is held back. */
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
  // Codings upon codings are what a decompression bomb is made of, and no honest server sends them.
  if (!make) {
    throw new AppError("provider_unavailable", `${host} uses an unsupported content encoding.`, {
      lasting: true,
    });
  }
  return make();
}

/**
 * The body of an answer as a web stream: decoded, counted after decoding, and never read faster than it is consumed.
 *
 * @throws AppError when the announced length is too large or the encoding unknown
 */
export class ResponseBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #settings: BodySettings;
  readonly #decoder: Transform | undefined;
  #sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  #received = 0;
  #closed = false;

  constructor(settings: BodySettings) {
    this.#settings = settings;
    if (settings.length > settings.maxBytes) throw tooLarge(settings.host, settings.maxBytes);
    this.#decoder = makeDecoder(settings.encoding, settings.host);
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (sink) => {
          this.#sink = sink;
        },
        pull: () => this.#resume(),
        cancel: () => {
          this.#closed = true;
          this.#decoder?.destroy();
          settings.onFail(new Error("cancelled"));
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }),
    );
    this.#decoder
      ?.on("data", (chunk: Buffer) => this.#deliver(chunk))
      .on("drain", () => settings.controller.resume())
      .on("end", () => this.#close())
      .on("error", (cause) => {
        const message = `${settings.host} sent data that can't be decompressed.`;
        settings.onFail(new AppError("provider_unavailable", message, { cause }));
      });
  }

  /** Takes a chunk as it came from the socket. */
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
    this.#sink?.error(reason);
  }

  #deliver(chunk: Buffer): void {
    if (this.#closed) return;
    this.#received += chunk.byteLength;
    const { host, maxBytes, controller, onFail } = this.#settings;
    if (this.#received > maxBytes) {
      onFail(tooLarge(host, maxBytes));
      return;
    }
    this.#sink?.enqueue(chunk);
    if ((this.#sink?.desiredSize ?? 0) > 0) return;
    if (this.#decoder) this.#decoder.pause();
    else controller.pause();
  }

  #resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.#settings.controller.resume();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink?.close();
    this.#settings.onDone();
  }
}
