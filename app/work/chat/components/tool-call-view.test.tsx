import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { closeOpenTools } from "../answer-state.shared";
import type { ToolPart } from "../chat.schema";
import { ApprovalsProvider } from "./conversation-provider";
import { argumentLine, ToolCallView } from "./tool-call-view";

const shown = (approval?: ToolPart["approval"]) => {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input: {} };
  const part: ToolPart = { ...call, state: "failed", error: "Why.", ...(approval && { approval }) };
  return renderToStaticMarkup(<ToolCallView part={part} />);
};

it("distinguishes a call that was never approved from one that was refused or failed", () => {
  expect(shown({ reason: "policy", decision: "lapsed" })).toContain("not decided, not run</span>");
  expect(shown({ reason: "policy", decision: "refused" })).toContain("refused</span>");
  expect(shown()).toContain("failed</span>");
});

it("shows a call that ended with its answer as stopped", () => {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "persona.ask", input: {} };
  const parts = closeOpenTools([{ ...call, state: "running" }], "The answer was stopped.");
  const html = renderToStaticMarkup(<ToolCallView part={parts[0] as ToolPart} />);
  expect(html).toContain("stopped</span>");
  expect(html).toContain(">Stopped<");
  expect(html).toContain("The answer was stopped.");
  expect(html).not.toContain("text-danger-ink");
});

it("shows a refusal as a decision and not as an error", () => {
  const refusal = shown({ reason: "policy", decision: "refused" });
  expect(refusal).toContain(">Refusal<");
  expect(refusal).not.toContain("text-danger-ink");
  expect(shown()).toContain(">Error<");
  expect(shown()).toContain("text-danger-ink");
});

/** The forms of a call that waits for a decision. */
function forms(reason: "policy" | "interrupted", isAnswering = false): string {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input: {} };
  return renderToStaticMarkup(
    <ApprovalsProvider value={{ action: "/chat/con_1", isAnswering }}>
      <ToolCallView part={{ ...call, state: "waiting", approval: { reason } }} />
    </ApprovalsProvider>,
  );
}

it.each([true, false])(
  "takes a decision only once the answer waits for it (still runs: %s)",
  (isAnswering) => {
    const shown = forms("policy", isAnswering);
    expect(shown.match(/<button/g)).toHaveLength(3);
    expect(shown.match(/<button[^>]* disabled=""/g) ?? []).toHaveLength(isAnswering ? 3 : 0);
  },
);

it.each([
  ["policy", "Approve", "is waiting for your approval"],
  ["interrupted", "Run Again", "was interrupted"],
] as const)("a call that waits because of %s has the button %s", (reason, label, words) => {
  expect(forms(reason)).toContain(`>${label}</`);
  expect(forms(reason)).toContain(words);
});

it.each([
  [{ url: "https://example.com/a\nb" }, "https://example.com/a b"],
  [{ query: "tides", limit: 3, where: { a: 1 } }, "query: tides, limit: 3, where: …"],
  [{}, ""],
  ["half a call", ""],
])("has the arguments %j on one line", (input, line) => {
  expect(argumentLine(input)).toBe(line);
});

it.each([
  [{ note: { city: "حيفا" } }, "ltr"],
  [{ note: "حيفا" }, "auto"],
])("keeps the order of JSON with right-to-left text in it, but not of a text: %j", (input, dir) => {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input };
  const waits = renderToStaticMarkup(
    <ToolCallView part={{ ...call, state: "waiting", approval: { reason: "policy" } }} />,
  );
  expect(waits).toMatch(new RegExp(`<dd [^>]*dir="${dir}"[^>]*>[^<]*حيفا`));
  const done = renderToStaticMarkup(<ToolCallView part={{ ...call, state: "done" }} />);
  expect(done).toMatch(/<p dir="ltr"[^>]*>[^<]*حيفا/);
});
