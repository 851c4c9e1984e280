import { type CallTarget, explainProviderError } from "./explain-provider-error.server";
import { type ChatModelPart, type PartStream, UNKNOWN_USAGE } from "./language-model";
import { isAbort } from "./provider-error-causes.server";
import type { PartReader } from "./well-formed-model.server";

/** How a stream ended: complete, canceled, or failed. */
export interface StreamEnd {
  outcome: "ok" | "stopped" | "error";
  error?: unknown;
}

interface StreamObserver {
  take(part: ChatModelPart): void;
  end(result: StreamEnd): void;
}

/** Ends a model's stream at its first error, with a readable message. */
export class ExplainedStream implements PartStream {
  readonly #reader: PartReader;
  readonly #target: CallTarget;
  readonly #observer: StreamObserver;
  #hasEnded = false;
  /** The finish part, which follows an error. */
  #last: ChatModelPart | undefined;

  constructor(reader: PartReader, target: CallTarget, observer: StreamObserver) {
    this.#reader = reader;
    this.#target = target;
    this.#observer = observer;
  }

  /** Undefined at the end. @throws the reason of an abort */
  async read(): Promise<ChatModelPart | undefined> {
    if (this.#hasEnded) {
      const last = this.#last;
      this.#last = undefined;
      return last;
    }
    try {
      const part = await this.#reader.read();
      if (part) this.#observer.take(part);
      else this.#end({ outcome: "ok" });
      return part;
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Closes the provider's connection, unless everything is read. */
  cancel(): void {
    if (this.#hasEnded) return;
    this.#end({ outcome: "stopped" });
    this.#last = undefined;
    this.#cancelReader();
  }

  #fail(error: unknown): ChatModelPart {
    this.#end({ outcome: "error", error });
    this.#cancelReader();
    if (isAbort(error)) throw error;
    const finishReason = { unified: "error", raw: undefined } as const;
    this.#last = { type: "finish", finishReason, usage: UNKNOWN_USAGE };
    return { type: "error", error: explainProviderError(error, this.#target) };
  }

  #end(result: StreamEnd): void {
    this.#hasEnded = true;
    this.#observer.end(result);
  }

  /** A stream that has failed rejects again. */
  #cancelReader(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
