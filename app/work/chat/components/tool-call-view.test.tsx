import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { ToolPart } from "../chat.schema";
import { ApprovalsProvider } from "./approvals-context";
import { ToolCallView } from "./tool-call-view";

const shown = (approval?: ToolPart["approval"]) => {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input: {} };
  const part: ToolPart = { ...call, state: "failed", error: "Why.", ...(approval && { approval }) };
  return renderToStaticMarkup(<ToolCallView part={part} />);
};

it("distinguishes a call that was never approved from one that was refused or failed", () => {
  expect(shown({ reason: "policy", decision: "lapsed" })).toContain("not run</span>");
  expect(shown({ reason: "policy", decision: "refused" })).toContain("refused</span>");
  expect(shown()).toContain("failed</span>");
});

it("shows a refusal as a decision and not as an error", () => {
  const refusal = shown({ reason: "policy", decision: "refused" });
  expect(refusal).toContain(">Refusal<");
  expect(refusal).not.toContain("text-danger-ink");
  expect(shown()).toContain(">Error<");
  expect(shown()).toContain("text-danger-ink");
});

it.each([true, false])(
  "takes a decision only once the answer waits for it (still runs: %s)",
  (isAnswering) => {
    const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input: {} };
    const part: ToolPart = { ...call, state: "waiting", approval: { reason: "policy" } };
    const forms = renderToStaticMarkup(
      <ApprovalsProvider value={{ action: "/chat/con_1", isAnswering }}>
        <ToolCallView part={part} />
      </ApprovalsProvider>,
    );
    expect(forms.match(/<button/g)).toHaveLength(3);
    expect(forms.match(/<button[^>]* disabled=""/g) ?? []).toHaveLength(isAnswering ? 3 : 0);
  },
);

it.each([
  ["policy", "Approve", "is waiting for your approval"],
  ["interrupted", "Run Again", "was interrupted"],
] as const)("a call that waits because of %s has the button %s", (reason, label, words) => {
  const call = { type: "tool" as const, toolCallId: "call_1", toolName: "kv.set", input: {} };
  const form = renderToStaticMarkup(
    <ApprovalsProvider value={{ action: "/chat/con_1" }}>
      <ToolCallView part={{ ...call, state: "waiting", approval: { reason } }} />
    </ApprovalsProvider>,
  );
  expect(form).toContain(`>${label}</`);
  expect(form).toContain(words);
});
