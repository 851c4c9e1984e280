import { type FrameKind, hasObject, parseJson } from "./frame-kinds";
import { type ProtocolName, protocolOf } from "./index";
import type { Protocol, StreamFormat } from "./protocol";
import { dataOf } from "./sse-frames";
import { mergeUsage, type TokenCounts, type WireUsage, WithUsage } from "./wire-usage";

/**
 * Parses a passed-through stream: each frame's kind, the end of the answer, and its usage. Frames with text only, which
 * most are, are never parsed.
 */
export class StreamWatch {
  readonly #protocol: Protocol;
  readonly format: StreamFormat;
  #usage: WireUsage;
  #finished = false;

  constructor(name: ProtocolName) {
    this.#protocol = protocolOf(name);
    if (!this.#protocol.stream) throw new Error(`${name} has no streams.`);
    this.format = this.#protocol.stream;
  }

  take(frame: Buffer): FrameKind {
    const kind = this.format.classify(frame);
    if (hasObject(frame, '"usage":')) this.#readUsage(frame);
    if (kind === "end" || this.format.endsAnswer?.(frame)) this.#finished = true;
    return kind;
  }

  /** Whether the stream reported its end; one that ends without was cut off. */
  get finished(): boolean {
    return this.#finished;
  }

  get usage(): TokenCounts {
    return this.#usage ? this.#protocol.countTokens(this.#usage) : {};
  }

  #readUsage(frame: Buffer): void {
    const { usage, message, response } = WithUsage.parse(parseJson(dataOf(frame)));
    this.#usage = mergeUsage(this.#usage, usage ?? message?.usage ?? response?.usage);
  }
}
