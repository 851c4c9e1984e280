import { describe, expect, it } from "vitest";
import type { ChatMessage } from "~/work/chat/chat.schema";
import type { ComparedAnswer } from "../comparisons.schema";
import { bestIn } from "./figures-table";

function answer(
  conversationId: string,
  durationMs: number | null,
  status: ChatMessage["status"] = "complete",
): ComparedAnswer {
  const metrics = {
    inputTokens: 1,
    outputTokens: 1,
    costMicros: null,
    firstTokenMs: null,
    durationMs,
    steps: 1,
  };
  return {
    conversationId,
    model: conversationId,
    lastEventId: 1,
    answer: {
      id: conversationId,
      role: "assistant",
      status,
      content: "",
      parts: [],
      model: conversationId,
      persona: null,
      error: null,
      metrics,
      parentId: null,
      variants: [],
      feedback: null,
      timestamp: "2026-01-01T00:00:00.000Z",
    },
  };
}

const best = (...answers: ComparedAnswer[]) => [...bestIn(answers, "durationMs")];

describe("the best columns of a figure", () => {
  it("have the lowest value among complete answers", () => {
    expect(best(answer("a", 30), answer("b", 20), answer("c", 40))).toEqual(["b"]);
    expect(best(answer("a", 30), answer("b", 20), answer("c", 5, "failed"))).toEqual(["b"]);
    expect(best(answer("a", 30), answer("b", 20), answer("c", 1, "stopped"))).toEqual(["b"]);
  });

  it("include ties", () => {
    expect(best(answer("a", 20), answer("b", 20), answer("c", 40))).toEqual(["a", "b"]);
  });

  it("exclude the built-in model, which isn't a language model", () => {
    expect(best(answer("a", 30), answer("b", 20), answer("quarterdeck-offline", 1))).toEqual(["b"]);
    expect(best(answer("a", 30), answer("quarterdeck-offline", 1))).toEqual([]);
  });

  it("are empty with nothing to compare", () => {
    expect(best(answer("a", 20), answer("b", 20))).toEqual([]);
    expect(best(answer("a", 20), answer("b", null))).toEqual([]);
    expect(best(answer("a", 20), answer("b", 30, "streaming"))).toEqual([]);
    expect(best()).toEqual([]);
  });

  it("include zero: a free model is the cheapest", () => {
    expect(best(answer("a", 0), answer("b", 20))).toEqual(["a"]);
  });
});
