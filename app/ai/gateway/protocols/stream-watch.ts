import { type FrameKind, hasObject, parseJson } from "./frame-kinds";
import { type ProtocolName, protocolOf } from "./index";
import type { Protocol, StreamFormat } from "./protocol";
import { dataOf } from "./sse-frames";
import { mergeUsage, type TokenCounts, type WireUsage, WithUsage } from "./wire-usage";

/** Tracks a passthrough stream's end and usage. Text-only frames, which are most, aren't parsed. */
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
    if (kind === "end" || this.format.endsResponse?.(frame)) this.#finished = true;
    return kind;
  }

  /** False for a truncated stream. */
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
