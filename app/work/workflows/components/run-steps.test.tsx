import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { ShownStep } from "../run-drawing.shared";
import { RunFacts, RunSteps } from "./run-steps";

const AT = "2026-11-27T09:00:00.000Z";
const stepOf = (key: string, more: Partial<ShownStep> = {}): ShownStep => ({
  key,
  stepId: key,
  type: "log",
  state: "succeeded",
  attempts: 1,
  input: null,
  output: null,
  branch: null,
  error: null,
  log: [],
  inputTokens: null,
  outputTokens: null,
  costMicros: null,
  progress: null,
  startedAt: AT,
  finishedAt: AT,
  ...more,
});
const show = (steps: ShownStep[], mayRerun = true) =>
  rendered(
    <>
      <RunFacts steps={steps} trigger="Manual" duration="1 s" />
      <RunSteps
        run={{ id: "run_1", startedAt: AT, finishedAt: AT, state: "succeeded" }}
        steps={steps.map((step) => ({ ...step, label: "Log Output" }))}
        mayAnswer
        mayRerun={mayRerun}
        now={Date.parse(AT)}
      />
    </>,
  );

it("marks what a rerun kept, and counts what ran in it", async () => {
  const { document, text } = await show([stepOf("first", { isKept: true, attempts: 0 }), stepOf("second")]);
  expect(text).toContain("Steps run1");
  const [first, second] = [...document.querySelectorAll("summary")].map((line) => line.textContent);
  expect(first).toBe("Log Output firstKept");
  expect(second).toMatch(/Succeeded$/);
  expect(document.querySelector("#step-first")?.textContent).toContain("Kept from the earlier run");
});

it("offers no output to pin of a loop that was left", async () => {
  const { document } = await show([stepOf("loop", { type: "while", isOpenLoop: true }), stepOf("body")]);
  const pins = [...document.querySelectorAll("button[value=pin]")];
  expect(pins).toHaveLength(1);
  expect(document.querySelector("#step-body")?.contains(pins[0] ?? null)).toBe(true);
});

it("offers no run from a step where none may begin", async () => {
  const names = async (mayRerun: boolean) =>
    [...(await show([stepOf("first")], mayRerun)).document.querySelectorAll("a")].map(
      (link) => link.textContent,
    );
  expect(await names(true)).toContain("Run from Here");
  expect(await names(false)).not.toContain("Run from Here");
});
