import { parseHTML } from "linkedom";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UNREACHABLE } from "~/ui/failures";
import { openToast } from "~/ui/toast-store";
import type { Conversation, ToolPart } from "../chat.schema";

vi.mock("./send-decision", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});

const PART: ToolPart = {
  type: "tool",
  toolCallId: "call_1",
  toolName: "kv.set",
  input: {},
  state: "waiting",
  approval: { reason: "policy" },
};

beforeEach(() => {
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
  // Node's own takes no form.
  vi.stubGlobal("FormData", class {});
});
afterEach(() => vi.unstubAllGlobals());

it("says that a decision couldn't be sent, and takes another, if the code that sends it doesn't load", async () => {
  // They choose their kinds of events when they are loaded.
  const { ApprovalsProvider } = await import("./conversation-provider");
  const { ToolCallView } = await import("./tool-call-view");
  const { useAnswer } = await import("./use-answer");
  const conversation = { id: "con_1", messages: [], lastEventId: 0 } as unknown as Conversation;
  function Chat() {
    const { decide } = useAnswer({ conversation, onCreated: () => {}, onUnsent: () => {} });
    return (
      <ApprovalsProvider value={{ action: "/chat/con_1", decide }}>
        <ToolCallView part={PART} />
      </ApprovalsProvider>
    );
  }
  const root = createRoot(document.querySelector("main") as HTMLElement);
  flushSync(() => root.render(<Chat />));
  const disabled = () => document.querySelectorAll("button[disabled]").length;
  const submit = new window.Event("submit", { bubbles: true, cancelable: true });
  flushSync(() => document.querySelector("form")?.dispatchEvent(submit));
  expect(disabled()).toBe(3);
  await vi.waitFor(() => expect(disabled()).toBe(0));
  expect(openToast()).toMatchObject({
    kind: "error",
    title: "Couldn't send the decision",
    description: UNREACHABLE,
  });
  flushSync(() => root.unmount());
});
