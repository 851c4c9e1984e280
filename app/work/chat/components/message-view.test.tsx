import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import { message } from "./answer-reducer";
import { MessageView, thoughtFor } from "./message-view";

const METRICS = {
  inputTokens: null,
  outputTokens: null,
  costMicros: null,
  firstTokenMs: null,
  durationMs: null,
  steps: 1,
} satisfies AnswerMetrics;

it.each([
  [METRICS, "Stopped<"],
  [
    { ...METRICS, timeLimitReached: true },
    "Stopped at the time limit of 30 minutes. Ask to continue, or regenerate the answer.<",
  ],
])("explains why an answer was stopped: %j", (metrics, text) => {
  const stopped = { ...message("assistant", "So far"), status: "stopped" as const, metrics };
  expect(renderToStaticMarkup(<MessageView message={stopped} />)).toContain(text);
});

it.each([
  [{ lengthReached: true }, "Stopped at the length limit."],
  [{ filtered: true }, "A content filter of the provider ended this answer."],
  [{ mayBeCut: true }, "it may be cut off. Ask to continue, or regenerate it.<"],
])("explains an end that isn't the answer's own: %j", (metrics, text) => {
  const answer = { ...message("assistant", "So far"), metrics: { ...METRICS, ...metrics } };
  expect(renderToStaticMarkup(<MessageView message={answer} />)).toContain(text);
});

it("says that thoughts took the whole limit of an answer without text", () => {
  const answer = { ...message("assistant", ""), metrics: { ...METRICS, lengthReached: true } };
  const ended = { ...answer, status: "complete" as const };
  expect(renderToStaticMarkup(<MessageView message={ended} />)).toContain("its thoughts took all of it");
});

it("has the reasoning collapsed above the answer", () => {
  const reasoning = { type: "reasoning" as const, id: "1", text: "Port or starboard?", durationMs: 2_000 };
  const answer = message("assistant", "It is port.");
  const html = renderToStaticMarkup(
    <MessageView message={{ ...answer, parts: [reasoning, ...answer.parts] }} />,
  );
  expect(html).toMatch(
    /<details(?![^>]*\sopen)[^>]*><summary.*Thought for 2 s.*Port or starboard\?.*<\/details>/s,
  );
});

it.each([
  [35, "Thought for less than 1 s"],
  [1000, "Thought for 1 s"],
  [12_400, "Thought for 12 s"],
  [59_700, "Thought for 1 min 0 s"],
  [125_000, "Thought for 2 min 5 s"],
])("describes a duration of %d ms", (ms, label) => {
  expect(thoughtFor(ms)).toBe(label);
});
