import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { AnswerMetrics } from "~/ai/tools/answer-stream.schema";
import { rendered } from "../../../../tests/support/rendered";
import type { MessageStatus } from "../chat.schema";
import { message } from "./answer-reducer";
import { type Branching, BranchingProvider } from "./branching";
import { GoingOn } from "./going-on";
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
  [{ ...METRICS, timeLimitReached: true }, "Stopped at the time limit of 30 minutes.<"],
])("explains why an answer was stopped: %j", (metrics, text) => {
  const stopped = { ...message("assistant", "So far"), status: "stopped" as const, metrics };
  expect(renderToStaticMarkup(<MessageView message={stopped} />)).toContain(text);
});

it.each([
  [{ lengthReached: true }, "Stopped at the length limit."],
  [
    { lengthReached: true, outputLimit: { tokens: 12_288, thoughts: 8192, byContext: false } },
    "Stopped at the length limit of 12,288 tokens: Max tokens (4,096) and 8,192 for thoughts.<",
  ],
  [
    { lengthReached: true, outputLimit: { tokens: 4096, thoughts: 0, byContext: false } },
    "Stopped at the length limit of 4,096 tokens (Max tokens).<",
  ],
  [
    { lengthReached: true, outputLimit: { tokens: 900, thoughts: 8192, byContext: true } },
    "Stopped at the length limit of 900 tokens, which is what the model&#x27;s context leaves beside the conversation.<",
  ],
  [{ filtered: true }, "A content filter of the provider ended this answer."],
  [{ mayBeCut: true }, "it may be cut off.<"],
])("explains an end that isn't the answer's own: %j", (metrics, text) => {
  const answer = { ...message("assistant", "So far"), metrics: { ...METRICS, ...metrics } };
  expect(renderToStaticMarkup(<MessageView message={answer} />)).toContain(text);
});

it.each([
  ["request", false],
  ["answer", false],
  [undefined, true],
] as const)("asks to try again only where it may help: %s", (refused, apologizes) => {
  const metrics = { ...METRICS, ...(refused && { refused }) };
  const error = 'The guardrail "Block list" refused this.';
  const failed = { ...message("assistant", ""), status: "failed" as const, error, metrics };
  const html = renderToStaticMarkup(<MessageView message={failed} />);
  expect(html).toContain("refused this.");
  expect(html.includes("try again")).toBe(apologizes);
});

it("says that thoughts took the whole limit of an answer without text", () => {
  const answer = { ...message("assistant", ""), metrics: { ...METRICS, lengthReached: true } };
  const ended = { ...answer, status: "complete" as const };
  expect(renderToStaticMarkup(<MessageView message={ended} />)).toContain("Its thoughts took all of it");
});

const LIMITED = { tokens: 4096, thoughts: 0, byContext: false };
const FULL = { tokens: 900, thoughts: 0, byContext: true };
const AT = "/settings/advanced#ai-configuration";
it.each<[string, string, Partial<AnswerMetrics>, MessageStatus, string | undefined, string[]]>([
  ["a whole answer", "Hi", {}, "complete", AT, []],
  [
    "one at its limit",
    "Hi",
    { lengthReached: true, outputLimit: LIMITED },
    "complete",
    undefined,
    ["Continue"],
  ],
  [
    "one at its limit, to who may change it",
    "Hi",
    { lengthReached: true, outputLimit: LIMITED },
    "complete",
    AT,
    ["Continue", "Raise Max tokens"],
  ],
  [
    "one that fills the context",
    "Hi",
    { lengthReached: true, outputLimit: FULL },
    "complete",
    AT,
    ["Continue"],
  ],
  ["thoughts alone", "", { lengthReached: true }, "complete", AT, ["Raise Max tokens"]],
  ["one that may be cut", "Hi", { mayBeCut: true }, "complete", AT, ["Continue"]],
  ["a stopped one", "Hi", {}, "stopped", AT, ["Continue"]],
  ["an interrupted one", "Hi", {}, "interrupted", AT, ["Continue"]],
  ["a failed one without text", "", {}, "failed", AT, ["Retry"]],
  ["a failed one with text", "Hi", {}, "failed", AT, ["Continue", "Retry"]],
  ["one whose question was refused", "Hi", { refused: "request" }, "failed", AT, []],
  ["one that was refused itself", "", { refused: "answer" }, "failed", AT, ["Retry"]],
  ["one that waits", "Hi", {}, "waiting", AT, []],
])("offers to go on with %s", async (_, content, metrics, status, limitAt, offered) => {
  const answer = {
    ...message("assistant", content),
    id: "msg_1",
    status,
    metrics: { ...METRICS, ...metrics },
  };
  const branching = { action: "/chat/con_1", busy: false, limitAt } as Branching;
  const { document } = await rendered(
    <BranchingProvider value={branching}>
      <GoingOn message={answer} />
    </BranchingProvider>,
  );
  const labels = [...document.querySelectorAll("button, a")].map(({ textContent }) => textContent);
  expect(labels).toEqual(offered);
});

it.each([
  ["complete", "The model gave no answer."],
  ["interrupted", "before anything was received."],
] as const)("says of a %s answer without anything in it that there is none", (status, words) => {
  const answer = { ...message("assistant", ""), parts: [], status };
  expect(renderToStaticMarkup(<MessageView message={answer} />)).toContain(words);
  const whole = { ...message("assistant", "It is port."), status };
  expect(renderToStaticMarkup(<MessageView message={whole} />)).not.toContain(words);
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
