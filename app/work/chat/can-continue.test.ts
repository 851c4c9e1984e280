import { expect, it } from "vitest";
import { canContinue } from "./answer-state.shared";
import type { MessagePart, ToolPart } from "./chat.schema";

type Call = Pick<ToolPart, "state"> &
  Partial<Pick<ToolPart, "begun">> & { decision?: "approved" | "refused" };
const partsOf = (...calls: Call[]) =>
  [
    { type: "step" },
    ...calls.map(({ decision, ...call }, at) => ({
      type: "tool",
      toolCallId: `call_${at}`,
      toolName: "kv.set",
      input: {},
      approval: { id: `call_${at}`, ...(decision ? { decision } : {}) },
      ...call,
    })),
  ] as unknown as MessagePart[];

const approved: Call = { state: "waiting", decision: "approved" };

it.each([
  ["no call needs approval", [], false],
  ["all calls are decided", [approved, { state: "failed", decision: "refused" }], true],
  ["one call awaits its decision", [approved, { state: "waiting" }], false],
  [
    "a restart left open what a call did",
    [approved, { state: "running", decision: "approved", begun: true }],
    false,
  ],
] as const)("an answer continues only once nothing is left to decide: %s", (_, calls, continues) => {
  expect(canContinue(partsOf(...(calls as readonly Call[])))).toBe(continues);
});
