import { describe, expect, it, vi } from "vitest";
import type { Follow } from "~/work/chat/answer-events.shared";
import { sendAnswer } from "./answer-stream.server";
import type { DirectResponse } from "./direct.server";

type Listener = Parameters<Follow>[0];

function open(accept?: string) {
  let listener: Listener | undefined;
  const stop = vi.fn();
  const written: string[] = [];
  const controller = new AbortController();
  const begin = vi.fn();
  const end = vi.fn();
  const abort = vi.fn();
  const response: DirectResponse = {
    send: () => {},
    begin,
    write: () => undefined,
    push: (text) => void written.push(text),
    end,
    fail: () => {},
    abort,
  };
  const follow: Follow = (listening) => {
    listener = listening;
    return stop;
  };
  sendAnswer({ conversationId: "con_1", follow }, { response, signal: controller.signal, accept });
  const tell = (id: number, chunk: { type: string; delta?: string; errorText?: string }) =>
    listener?.({ id, json: JSON.stringify(chunk), chunk });
  return {
    begin,
    end,
    controller,
    stop,
    tell,
    written,
    abort,
    finish: (why?: string) => listener?.(undefined, why),
  };
}

describe("an answer on Node's response", () => {
  it("streams events with their IDs and ends with the last", () => {
    const { begin, end, stop, tell, written, finish } = open("text/event-stream");
    const headers = expect.objectContaining({ "X-Conversation-Id": "con_1" });
    expect(begin).toHaveBeenCalledWith("text/event-stream; charset=utf-8", headers);
    tell(7, { type: "text-delta", delta: "Hi" });
    finish();
    finish();
    expect(written).toEqual(['id: 7\ndata: {"type":"text-delta","delta":"Hi"}\n\n', "data: [DONE]\n\n"]);
    expect([end.mock.calls.length, stop.mock.calls.length]).toEqual([1, 1]);
  });

  it("streams plain text if the client prefers it", () => {
    const { begin, tell, written, finish } = open("text/plain");
    expect(begin.mock.calls[0]?.[0]).toBe("text/plain; charset=utf-8");
    tell(1, { type: "text-start" });
    tell(2, { type: "text-delta", delta: "Hi" });
    tell(3, { type: "text-start" });
    tell(4, { type: "error", errorText: "It broke." });
    finish();
    expect(written.join("")).toBe("Hi\n\n\n\nIt broke.");
  });

  it("says in its last event that a restart cut it off, and breaks bare text off", () => {
    const events = open("text/event-stream");
    events.finish("The console is restarting.");
    expect(events.written).toEqual(['data: {"type":"error","errorText":"The console is restarting."}\n\n']);
    expect(events.end).toHaveBeenCalledOnce();
    const text = open("text/plain");
    text.tell(1, { type: "text-delta", delta: "Hi" });
    text.finish("The console is restarting.");
    expect([text.written, text.abort.mock.calls.length, text.end.mock.calls.length]).toEqual([["Hi"], 1, 0]);
  });

  it("ends its subscription when the client disconnects", () => {
    const { end, controller, stop, tell, written } = open();
    controller.abort();
    tell(1, { type: "text-delta", delta: "Hi" });
    expect([stop.mock.calls.length, end.mock.calls.length, written]).toEqual([1, 0, []]);
  });
});
