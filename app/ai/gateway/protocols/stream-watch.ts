import { parseWellFormed } from "~/core/well-formed";
import type { FrameKind } from "./frame-kinds";
import { type ProtocolName, protocolOf } from "./index";
import type { Protocol, StreamFormat } from "./protocol";
import type { Frame } from "./sse-frames";
import { mergeUsage, type TokenCounts, type WireUsage, WithUsage } from "./wire-usage";

function parseJson(data: string): unknown {
  try {
    return parseWellFormed(data);
  } catch {
    return undefined;
  }
}

/** Tracks a passthrough stream's end and usage. */
export class StreamWatch {
  readonly #protocol: Protocol;
  readonly #format: StreamFormat;
  #usage: WireUsage;
  #finished = false;

  constructor(name: ProtocolName) {
    this.#protocol = protocolOf(name);
    if (!this.#protocol.stream) throw new Error(`${name} has no streams.`);
    this.#format = this.#protocol.stream;
  }

  take({ event, data }: Frame): FrameKind {
    const frame = { event, data, json: parseJson(data) };
    const kind = this.#format.classify(frame);
    const { usage, message, response } = WithUsage.parse(frame.json);
    this.#usage = mergeUsage(this.#usage, usage ?? message?.usage ?? response?.usage);
    if (kind === "end" || this.#format.endsResponse?.(frame)) this.#finished = true;
    return kind;
  }

  /** False for a truncated stream. */
  get finished(): boolean {
    return this.#finished;
  }

  get usage(): TokenCounts {
    return this.#usage ? this.#protocol.countTokens(this.#usage) : {};
  }
}
