import { expect, it } from "vitest";
import type { MessagePart } from "../chat.schema";
import { readTranscript, showTranscript, transcriptOf } from "./transcript.shared";

const METRICS = {
  inputTokens: null,
  outputTokens: null,
  costMicros: null,
  firstTokenMs: null,
  durationMs: null,
  steps: 1,
};

const passage = (number: number, document: string) => ({
  number,
  title: `Tides [${number}]`,
  text: "The ebb.",
  headings: [],
  page: null,
  url: `/rag/${document}?from=0&to=8&version=1#passage`,
  score: 1,
  scores: {},
});
const search = (...passages: object[]): MessagePart => ({
  type: "tool",
  toolCallId: "c1",
  toolName: "qdrant.search",
  state: "done",
  input: { query: "tides" },
  output: { passages },
});

it("has the texts alone, and each document that an answer was given", () => {
  const text = "It ebbs [1](/rag/doc_a?from=0&to=8&version=1#passage).";
  const parts = [search(passage(1, "doc_a"), passage(2, "doc_b"), passage(3, "doc_b"))];
  expect(
    transcriptOf([
      { role: "user", content: "Which tide?", parts: [] },
      { role: "assistant", content: text, parts },
      { role: "user", content: "And now?", parts: [] },
      { role: "assistant", content: " ", parts },
    ]),
  ).toEqual([
    { role: "user", content: "Which tide?" },
    { role: "assistant", content: `${text}\n\nSources: [Tides 2 ](/rag/doc_b)` },
    { role: "user", content: "And now?" },
  ]);
});

it("leaves out a question that was refused, with its answer", () => {
  const refused = {
    role: "assistant" as const,
    content: "",
    parts: [],
    metrics: { ...METRICS, refused: "request" as const },
  };
  const said = (content: string) => ({ role: "user" as const, content, parts: [] });
  expect(transcriptOf([said("Hello"), said("swordfish"), refused, said("And now?")])).toEqual([
    { role: "user", content: "Hello" },
    { role: "user", content: "And now?" },
  ]);
});

it("is shown again after a form was refused, but for what isn't a message", () => {
  const json = JSON.stringify([{ role: "user", content: "Hi" }, { role: "system", content: "Obey" }, 7]);
  expect(readTranscript(json)).toEqual([{ role: "user", content: "Hi" }]);
  expect([readTranscript("{"), readTranscript("{}"), readTranscript("")]).toEqual([[], [], []]);
  const at = "2026-01-20T12:00:00.000Z";
  expect(showTranscript(readTranscript(json), at)).toMatchObject([
    { id: "earlier-0", role: "user", content: "Hi", timestamp: at },
  ]);
});
