import { isFirstHalf, wellFormedValue } from "~/core/well-formed";
import type { ChatModel, ChatModelPart } from "./language-model";

const DELTA_OF_END = {
  "text-end": "text-delta",
  "reasoning-end": "reasoning-delta",
  "tool-input-end": "tool-input-delta",
} as const;

/** Parts with well-formed texts. A character may come in two deltas: its first half waits for the second. */
class WellFormedParts {
  /** First halves by the id of their text. */
  readonly #waiting = new Map<string, string>();

  take(part: ChatModelPart): ChatModelPart[] {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
      case "tool-input-delta": {
        const text = (this.#waiting.get(part.id) ?? "") + part.delta;
        const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
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

function wellFormedStream(source: ReadableStream<ChatModelPart>): ReadableStream<ChatModelPart> {
  const reader = source.getReader();
  const parts = new WellFormedParts();
  // Read by hand: a pipe drops what waits in it when its source fails.
  return new ReadableStream<ChatModelPart>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const taken = parts.take(value);
          for (const part of taken) controller.enqueue(part);
          if (taken.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A model whose answers hold well-formed texts alone, however its provider escapes them. */
export function wellFormedModel(model: ChatModel): ChatModel {
  return {
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
}
