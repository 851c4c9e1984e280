import { describe, expect, it, vi } from "vitest";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { EventSink, TextSink } from "~/platform/endpoint/endpoint.shared";
import { type Follow, prefersText, streamAnswer } from "./messages.api";

function open(accept: string) {
  let listener: Parameters<Follow>[0] | undefined;
  const stop = vi.fn();
  const follow: Follow = (listening) => {
    listener = listening;
    return stop;
  };
  const { content } = streamAnswer("con_1", follow, accept);
  const written: string[] = [];
  const close = vi.fn();
  const breakOff = vi.fn();
  if (content.kind === "events") {
    const send = (data: string, id?: number | string) => void written.push(`${id ?? "-"} ${data}`);
    content.open({ send, close, closed: false, unread: () => 0 } satisfies EventSink);
  }
  if (content.kind === "text-stream")
    content.open({ write: (text) => void written.push(text), close, breakOff } satisfies TextSink);
  const tell = (id: number, chunk: { type: string; delta?: string; errorText?: string }) =>
    listener?.({ id, json: JSON.stringify(chunk), chunk: chunk as StreamChunk });
  return {
    content,
    written,
    close,
    breakOff,
    stop,
    tell,
    finish: (why?: string) => listener?.(undefined, why),
  };
}

describe("an answer", () => {
  it("is events with their IDs, and ends with the last", () => {
    const { content, close, tell, written, finish } = open("text/event-stream");
    expect(content).toMatchObject({ kind: "events", headers: { "X-Conversation-Id": "con_1" } });
    tell(7, { type: "text-delta", delta: "Hi" });
    finish();
    expect(written).toEqual(['7 {"type":"text-delta","delta":"Hi"}', "- [DONE]"]);
    expect(close).toHaveBeenCalledOnce();
  });

  it("is plain text if the client prefers it", () => {
    const { content, tell, written, finish } = open("text/plain");
    expect(content).toMatchObject({ kind: "text-stream", headers: { "X-Conversation-Id": "con_1" } });
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
    expect(events.written).toEqual(['- {"type":"error","errorText":"The console is restarting."}']);
    expect(events.close).toHaveBeenCalledOnce();
    const text = open("text/plain");
    text.tell(1, { type: "text-delta", delta: "Hi" });
    text.finish("The console is restarting.");
    expect([text.written, text.breakOff.mock.calls.length, text.close.mock.calls.length]).toEqual([
      ["Hi"],
      1,
      0,
    ]);
  });
});

describe("the form of an answer", () => {
  it.each([
    [null, false],
    ["*/*", false],
    ["text/event-stream", false],
    ["text/plain", true],
    ["text/plain, text/event-stream", false],
    ["text/event-stream;q=0.5, text/plain", true],
    ["text/plain;q=0.3, text/event-stream;q=0.9", false],
  ])("for Accept %s is text: %s", (accept, text) => {
    expect(prefersText(accept)).toBe(text);
  });
});
