import type { StreamChunk } from "~/ai/tools/answer-stream.schema";

/** Emits chunks, and durations when reasoning ends. */
export function timeReasoning(emit: (chunk: StreamChunk) => void): (chunk: StreamChunk) => void {
  const begun = new Map<string, number>();
  return (chunk) => {
    if (chunk.type === "reasoning-start") begun.set(chunk.id, performance.now());
    const start = chunk.type === "reasoning-end" ? begun.get(chunk.id) : undefined;
    if (chunk.type !== "reasoning-end" || start === undefined) return emit(chunk);
    const durationMs = Math.round(performance.now() - start);
    emit({ ...chunk, providerMetadata: { console: { durationMs } } });
  };
}
