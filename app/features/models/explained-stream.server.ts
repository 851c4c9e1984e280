import { type ChatModelPart, UNKNOWN_USAGE } from "./language-model";
import { type Asked, explainProviderError, isAbort } from "./provider-errors.server";
import { ProviderBroken } from "./resilient-fetch.server";

type Source = ReadableStream<ChatModelPart>;

/** Ends a stream at its first error, put into words, and notices one that ends without a finish reason. */
export function explainedStream(source: Source, asked: Asked): Source {
  const reader = source.getReader();
  let finished = false;
  const fail = (controller: ReadableStreamDefaultController<ChatModelPart>, error: unknown) => {
    reader.cancel().catch(() => undefined);
    if (isAbort(error)) return controller.error(error);
    controller.enqueue({ type: "error", error: explainProviderError(error, asked) });
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
        const { done, value: part } = await reader.read();
        if (done) return finished ? controller.close() : fail(controller, new ProviderBroken());
        if (part.type === "error") return fail(controller, part.error);
        if (part.type === "finish" && isCutOff(part.finishReason))
          return fail(controller, new ProviderBroken());
        finished ||= part.type === "finish";
        controller.enqueue(part);
      } catch (error) {
        fail(controller, error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Every adapter starts from "other" or "error" and sets the real reason when the upstream gives one. */
export function isCutOff(reason: { unified: string; raw: string | undefined }): boolean {
  return reason.raw === undefined && (reason.unified === "other" || reason.unified === "error");
}
