import type { LanguageModelV3FinishReason } from "@ai-sdk/provider";
import { isHighSurrogate, wellFormedValue } from "~/core/well-formed";
import type { ChatModel, ChatModelPart } from "./language-model";
import { ProviderDisconnected } from "./provider-errors.server";

const DELTA_OF_END = {
  "text-end": "text-delta",
  "reasoning-end": "reasoning-delta",
  "tool-input-end": "tool-input-delta",
} as const;

/** Joins surrogate pairs that are split between deltas. */
class WellFormedParts {
  readonly #waiting = new Map<string, string>();

  take(part: ChatModelPart): ChatModelPart[] {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
      case "tool-input-delta": {
        const text = (this.#waiting.get(part.id) ?? "") + part.delta;
        const isCut = isHighSurrogate(text.charCodeAt(text.length - 1));
        if (isCut) this.#waiting.set(part.id, text.slice(-1));
        else this.#waiting.delete(part.id);
        const delta = isCut ? text.slice(0, -1) : text;
        return delta === "" && isCut ? [] : [wellFormedValue({ ...part, delta })];
      }
      case "text-end":
      case "reasoning-end":
      case "tool-input-end": {
        const end = wellFormedValue(part);
        const isLeft = this.#waiting.delete(part.id);
        return isLeft ? [{ type: DELTA_OF_END[part.type], id: end.id, delta: "\ufffd" }, end] : [end];
      }
      default:
        return [wellFormedValue(part)];
    }
  }
}

/** Adapters begin with "other" or "error" and set the real reason later. */
const isIncomplete = ({ raw, unified }: LanguageModelV3FinishReason) =>
  raw === undefined && (unified === "other" || unified === "error");

/** Reads a stream to its proper end. It reads by hand, since a failing pipe drops queued parts. */
export class PartReader {
  readonly #reader: ReadableStreamDefaultReader<ChatModelPart>;
  readonly #parts = new WellFormedParts();
  #ready: ChatModelPart[] = [];
  #isComplete = false;

  constructor(source: ReadableStream<ChatModelPart>) {
    this.#reader = source.getReader();
  }

  /** Undefined after a complete response. @throws the stream's error; ProviderDisconnected if it ended before */
  async read(): Promise<ChatModelPart | undefined> {
    let part = this.#ready.shift();
    while (!part) {
      const { done, value } = await this.#reader.read();
      if (done && !this.#isComplete) throw new ProviderDisconnected();
      if (done) return undefined;
      this.#ready = this.#parts.take(value);
      part = this.#ready.shift();
    }
    if (part.type === "error") throw part.error;
    if (part.type === "finish") {
      if (isIncomplete(part.finishReason)) throw new ProviderDisconnected();
      this.#isComplete = true;
    }
    return part;
  }

  unread(parts: readonly ChatModelPart[]): void {
    this.#ready = [...parts, ...this.#ready];
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#reader.cancel(reason);
  }
}

function wellFormedStream(source: ReadableStream<ChatModelPart>): ReadableStream<ChatModelPart> {
  const reader = new PartReader(source);
  return new ReadableStream<ChatModelPart>(
    {
      async pull(controller) {
        try {
          const part = await reader.read();
          if (part) controller.enqueue(part);
          else controller.close();
        } catch (error) {
          // A failed stream isn't canceled, but its source may still send.
          reader.cancel().catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const innerModels = new WeakMap<ChatModel, ChatModel>();

export const unwrapModel = (model: ChatModel): ChatModel => innerModels.get(model) ?? model;

/** Replaces lone surrogates in a model's texts. */
export function wellFormedModel(model: ChatModel): ChatModel {
  const wellFormed: ChatModel = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (call) => wellFormedValue(await model.doGenerate(call)),
    doStream: async (call) => {
      const { stream, ...rest } = await model.doStream(call);
      return { ...rest, stream: wellFormedStream(stream) };
    },
  };
  innerModels.set(wellFormed, model);
  return wellFormed;
}
