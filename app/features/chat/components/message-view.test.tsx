import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { AnswerMetrics } from "../chat.schema";
import { message } from "./answer-reducer";
import { MessageView } from "./message-view";

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
