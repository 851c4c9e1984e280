import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import {
  CONTENT_PARTS,
  detailsOfPart,
  isEstimated,
  packStep,
  StepStateCollector,
} from "~/ai/models/models.service.server";
import type { CallDetails } from "~/core/telemetry.server";
import type { StreamProgress } from "../protocols/errors";
import type { FrameMaker } from "../protocols/protocol";
import type { TokenCounts } from "../protocols/wire-usage";
import { MAX_BUFFERED_BYTES, type ResponseSource, type ResponseWriter } from "./source";

export function toTokenCounts(usage: LanguageModelV3Usage): TokenCounts {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cacheReadTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    ...(isEstimated(usage) ? { estimated: true } : {}),
  };
}

/** An adapter's stream as frames of the caller's protocol. */
export class TranslatedStream implements ResponseSource {
  usage: TokenCounts = {};
  textBytes = 0;
  details: CallDetails = {};
  #begun = false;
  readonly #buffered: Uint8Array[] = [];
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>;
  #ended = false;
  readonly #state = new StepStateCollector();

  constructor(
    stream: ReadableStream<LanguageModelV3StreamPart>,
    private readonly frames: FrameMaker,
    private readonly writtenBy: string,
  ) {
    this.#reader = stream.getReader();
  }

  get progress(): StreamProgress {
    return this.frames.progress?.() ?? {};
  }

  async begin(): Promise<void> {
    let bytes = 0;
    try {
      while (!this.#begun && bytes < MAX_BUFFERED_BYTES) {
        const piece = await this.#pull();
        if (!piece) break;
        this.#buffered.push(piece);
        bytes += piece.length;
      }
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  async relay(writer: ResponseWriter): Promise<void> {
    const buffered = this.#buffered.splice(0);
    let piece: Uint8Array | undefined = buffered.length > 0 ? Buffer.concat(buffered) : await this.#pull();
    for (; piece; piece = await this.#pull()) {
      const waiting = writer.write(piece);
      if (waiting) await waiting;
    }
  }

  async #pull(): Promise<Uint8Array | undefined> {
    while (!this.#ended) {
      const { done, value } = await this.#reader.read();
      if (done) return this.#end();
      const text = this.#take(value);
      if (text !== "") return Buffer.from(text);
    }
    return undefined;
  }

  cancel(): void {
    this.#ended = true;
    this.#reader.cancel().catch(() => undefined);
  }

  #end(): Uint8Array | undefined {
    this.#ended = true;
    const last = this.frames.end();
    return last === "" ? undefined : Buffer.from(last);
  }

  #take(part: LanguageModelV3StreamPart): string {
    if (part.type === "finish") this.usage = toTokenCounts(part.usage);
    if ("delta" in part) this.textBytes += Buffer.byteLength(part.delta);
    if (part.type === "finish" || CONTENT_PARTS.has(part.type)) this.#begun = true;
    this.details = { ...this.details, ...detailsOfPart(part) };
    this.#state.take(part);
    const kept = part.type === "finish" ? this.#state.kept(this.writtenBy) : undefined;
    return (kept ? this.frames.keep(packStep(kept)) : "") + this.frames.take(part);
  }
}
