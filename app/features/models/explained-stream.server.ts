import { type ChatModelPart, UNKNOWN_USAGE } from "./language-model";
import { type Asked, explainProviderError, isAbort } from "./provider-errors.server";
import { ProviderBroken } from "./resilient-fetch.server";
import type { PartReader } from "./well-formed-model.server";

/** How a stream ended: complete, canceled, or failed. */
export interface StreamEnd {
  outcome: "ok" | "stopped" | "error";
  error?: unknown;
}

interface StreamObserver {
  take(part: ChatModelPart): void;
  /** The first call counts. */
  end(how: StreamEnd): void;
}

/**
 * A model's stream that ends at its first error, put into words, and notices one that ends without a finish reason.
 *
 * @param observer sees each part and how it ended
 */
export function explainedStream(
  reader: PartReader,
  target: Asked,
  observer: StreamObserver,
): ReadableStream<ChatModelPart> {
  let finished = false;
  const fail = (controller: ReadableStreamDefaultController<ChatModelPart>, error: unknown) => {
    observer.end({ outcome: "error", error });
    reader.cancel().catch(() => undefined);
    if (isAbort(error)) return controller.error(error);
    controller.enqueue({ type: "error", error: explainProviderError(error, target) });
    controller.enqueue({
      type: "finish",
      finishReason: { unified: "error", raw: undefined },
      usage: UNKNOWN_USAGE,
    });
    controller.close();
  };
  return new ReadableStream<ChatModelPart>({
    async pull(controller) {
      try {
        const part = await reader.read();
        if (!part) {
          if (!finished) return fail(controller, new ProviderBroken());
          observer.end({ outcome: "ok" });
          return controller.close();
        }
        observer.take(part);
        if (part.type === "error") return fail(controller, part.error);
        if (part.type === "finish" && isCutOff(part.finishReason))
          return fail(controller, new ProviderBroken());
        finished ||= part.type === "finish";
        controller.enqueue(part);
      } catch (error) {
        fail(controller, error);
      }
    },
    cancel(reason) {
      observer.end({ outcome: "stopped" });
      return reader.cancel(reason);
    },
  });
}

/** Adapters begin with "other" or "error" and set the real reason later. */
export function isCutOff(reason: { unified: string; raw: string | undefined }): boolean {
  return reason.raw === undefined && (reason.unified === "other" || reason.unified === "error");
}
