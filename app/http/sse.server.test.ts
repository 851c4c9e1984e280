import { describe, expect, it, vi } from "vitest";
import { prefersText } from "./answer-stream.server";
import { type EventSink, eventStream, textStream } from "./sse.server";

function open() {
  const client = new AbortController();
  const leave = vi.fn();
  let sink: EventSink | undefined;
  const response = eventStream(client.signal, (opened) => {
    sink = opened;
    return leave;
  });
  if (!sink) throw new Error("The stream didn't open.");
  return { client, leave, sink, response };
}

describe("server-sent events", () => {
  it("writes each event with its id and ends when told", async () => {
    const { sink, response, leave } = open();
    sink.send('{"a":1}', 7);
    sink.send("[DONE]");
    sink.close();
    expect(await response.text()).toBe('id: 7\ndata: {"a":1}\n\ndata: [DONE]\n\n');
    expect(leave).toHaveBeenCalledOnce();
    expect(response.headers.get("cache-control")).toContain("no-transform");
  });

  it("stops listening when the client leaves, and takes nothing more", () => {
    const { client, sink, leave } = open();
    client.abort();
    expect(leave).toHaveBeenCalledOnce();
    expect(sink.closed).toBe(true);
    sink.send("late", 1);
    sink.close();
    expect(leave).toHaveBeenCalledOnce();
  });

  it("cuts off a reader that never reads rather than filling memory", () => {
    const leave = vi.fn();
    let write: (text: string) => void = () => {};
    textStream(new AbortController().signal, (writer) => {
      write = writer;
      return leave;
    });
    for (let n = 0; n < 100 && leave.mock.calls.length === 0; n++) write("x".repeat(100_000));
    expect(leave).toHaveBeenCalledOnce();
  });

  it("ends at once for a client that has left before", () => {
    const leave = vi.fn();
    const client = new AbortController();
    client.abort();
    textStream(client.signal, () => leave);
    expect(leave).toHaveBeenCalledOnce();
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
