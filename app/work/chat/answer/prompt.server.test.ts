import { describe, expect, it } from "vitest";
import type { MessagePart } from "../chat.schema";
import { buildPrompt, quotedDocuments } from "./prompt.server";

const text = (value: string): MessagePart => ({ type: "text", id: "0", text: value });

describe("the prompt of a conversation", () => {
  it("puts the persona first and sends each step of an answer as its own messages", () => {
    const prompt = buildPrompt("Be brief.", [
      { role: "user", parts: [text("What is a?")] },
      {
        role: "assistant",
        parts: [
          { type: "step" },
          { type: "reasoning", id: "r", text: "not sent back" },
          text("Looking."),
          {
            type: "tool",
            toolCallId: "c1",
            toolName: "kv.get",
            state: "done",
            input: { key: "a" },
            output: { value: 1 },
          },
          {
            type: "tool",
            toolCallId: "c2",
            toolName: "web.fetch",
            state: "failed",
            input: "{",
            error: "no JSON",
          },
          { type: "step" },
          text("It is 1."),
        ],
      },
    ]);
    expect(prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "What is a?" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool-call", toolCallId: "c1", toolName: "kv__get", input: { key: "a" } },
          { type: "tool-call", toolCallId: "c2", toolName: "web__fetch", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "kv__get",
            output: { type: "json", value: { value: 1 } },
          },
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "web__fetch",
            output: { type: "error-text", value: "no JSON" },
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "It is 1." }] },
    ]);
  });

  it("omits an answer without text and calls", () => {
    expect(buildPrompt(undefined, [{ role: "assistant", parts: [{ type: "step" }] }])).toEqual([]);
  });
});

it("finds each document in results and text once", () => {
  const output = { passages: [{ url: "/rag/doc_a1?from=0&to=9#passage" }, { url: "/rag/doc_b" }] };
  const call = { type: "tool" as const, toolCallId: "1", toolName: "qdrant.search", input: {} };
  const history = [
    { role: "assistant" as const, parts: [{ ...call, state: "done" as const, output }] },
    { role: "assistant" as const, parts: [text("So says [1](/rag/doc_a1), [2](/rag/doc_c#x).")] },
  ];
  expect(quotedDocuments(buildPrompt("system", history))).toEqual(["doc_a1", "doc_b", "doc_c"]);
  expect(quotedDocuments([])).toEqual([]);
});
