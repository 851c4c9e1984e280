import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { closeOpenTools } from "../answer-state.shared";
import { MessagePart, type ToolPart } from "../chat.schema";
import { NOT_APPROVED } from "../not-approved.shared";
import { ToolCallView } from "./tool-call-view";

const shown = (reason: string) => {
  const open = MessagePart.parse({
    type: "tool",
    toolCallId: "call_1",
    toolName: "kv.set",
    input: {},
    state: "waiting",
  });
  const [part] = closeOpenTools([open], reason);
  return renderToStaticMarkup(<ToolCallView part={part as ToolPart} />);
};

it("distinguishes a call that was never approved from one that failed", () => {
  expect(shown(NOT_APPROVED)).toContain("not run</span>");
  expect(shown("Connection refused.")).toContain("failed</span>");
});
