import { expect, it } from "vitest";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { timeReasoning } from "./model-step.server";

it("adds a duration only to the end of reasoning", () => {
  const emitted: StreamChunk[] = [];
  const emit = timeReasoning((chunk) => emitted.push(chunk));
  const rest: StreamChunk[] = [
    { type: "reasoning-start", id: "1:r" },
    { type: "reasoning-delta", id: "1:r", delta: "Hm." },
    { type: "text-end", id: "1:0" },
    { type: "reasoning-end", id: "never begun" },
  ];
  for (const chunk of rest) emit(chunk);
  emit({ type: "reasoning-end", id: "1:r" });
  expect(emitted).toEqual([
    ...rest,
    {
      type: "reasoning-end",
      id: "1:r",
      providerMetadata: { console: { durationMs: expect.any(Number) } },
    },
  ]);
});
