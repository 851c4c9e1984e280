import { describe, expect, it } from "vitest";
import { closeOpenTools, emptyAnswer, textOf } from "~/work/chat/answer-state.shared";
import { foldChunk } from "~/work/chat/fold-answer.shared";
import { uiMessageChunkSchema } from "../../../tests/support/sdks";
import type { StreamChunk } from "./answer-stream.schema";

const answer: StreamChunk[] = [
  { type: "start", messageId: "m", messageMetadata: { model: "gpt-4o" } },
  { type: "start-step" },
  { type: "reasoning-start", id: "1:r" },
  { type: "reasoning-delta", id: "1:r", delta: "Hm." },
  { type: "reasoning-end", id: "1:r", providerMetadata: { console: { durationMs: 12_400 } } },
  { type: "text-start", id: "1:0" },
  { type: "text-delta", id: "1:0", delta: "Let me " },
  { type: "text-delta", id: "1:0", delta: "look." },
  { type: "text-end", id: "1:0" },
  { type: "tool-input-start", toolCallId: "c1", toolName: "kv.get" },
  { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"key"' },
  { type: "tool-input-available", toolCallId: "c1", toolName: "kv.get", input: { key: "a" } },
  { type: "tool-output-available", toolCallId: "c1", output: { value: "b" } },
  { type: "finish-step" },
  { type: "start-step" },
  { type: "text-start", id: "2:0" },
  { type: "text-delta", id: "2:0", delta: "It is b." },
  { type: "text-end", id: "2:0" },
  { type: "finish-step" },
  { type: "finish", finishReason: "stop", messageMetadata: { steps: 2 } },
];

const fold = (chunks: StreamChunk[]) => chunks.reduce(foldChunk, emptyAnswer());

describe("an answer folded from its events", () => {
  it("keeps its parts in order, with the tool's input and result", () => {
    const state = fold(answer);
    expect(state.status).toBe("complete");
    expect(state.parts.map((part) => part.type)).toEqual([
      "step",
      "reasoning",
      "text",
      "tool",
      "step",
      "text",
    ]);
    expect(state.parts[1]).toEqual({ type: "reasoning", id: "1:r", text: "Hm.", durationMs: 12_400 });
    expect(state.parts[3]).toMatchObject({
      toolName: "kv.get",
      state: "done",
      input: { key: "a" },
      output: { value: "b" },
    });
    expect(textOf(state.parts)).toBe("Let me look.\n\nIt is b.");
  });

  it("keeps its text when it fails in the middle", () => {
    const state = fold([
      ...answer.slice(0, 8),
      { type: "error", errorText: "gone" },
      { type: "finish", messageMetadata: {} },
    ]);
    expect(state).toMatchObject({ status: "failed", error: "gone" });
    expect(textOf(state.parts)).toBe("Let me look.");
  });

  it.each([
    ["interrupted", "interrupted"],
    ["stopped", "stopped"],
    ["revoked", "stopped"],
  ])("with the abort reason %s is %s", (reason, status) => {
    expect(
      fold([
        { type: "abort", reason },
        { type: "finish", messageMetadata: {} },
      ]).status,
    ).toBe(status);
  });

  it("marks a call with invalid JSON as failed", () => {
    const state = fold([
      { type: "tool-input-start", toolCallId: "c", toolName: "kv.get" },
      { type: "tool-input-error", toolCallId: "c", toolName: "kv.get", input: "{", errorText: "no JSON" },
    ]);
    expect(state.parts).toEqual([
      { type: "tool", toolCallId: "c", toolName: "kv.get", state: "failed", input: "{", error: "no JSON" },
    ]);
  });

  it("leaves no call open at its end", () => {
    const parts = closeOpenTools(fold(answer.slice(0, 12)).parts, "Stopped.");
    expect(parts.at(-1)).toMatchObject({ type: "tool", state: "failed", error: "Stopped." });
  });

  it("conforms to the AI SDK's protocol", async () => {
    const schema = uiMessageChunkSchema();
    for (const chunk of answer) {
      const verdict = await schema.validate?.(JSON.parse(JSON.stringify(chunk)));
      expect(verdict, chunk.type).toMatchObject({ success: true });
    }
  });
});
