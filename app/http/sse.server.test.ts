import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { writeReadableStreamToWritable } from "@remix-run/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EventSink, HEARTBEAT_MS, relay } from "~/platform/endpoint/endpoint.shared";
import type { EdgeContext } from "./context.server";
import { eventStream, textStream, toResponse } from "./send-response.server";

const clientOf = (closed: AbortSignal) => ({ closed, waiting: () => 0, cutOff: vi.fn() });

function open() {
  const client = new AbortController();
  const cleanUp = vi.fn();
  let sink: EventSink | undefined;
  const response = eventStream(clientOf(client.signal), (opened) => {
    sink = opened;
    return cleanUp;
  });
  if (!sink) throw new Error("The stream didn't open.");
  return { client, cleanUp, sink, response };
}

describe("server-sent events", () => {
  it("writes each event with its id and ends on request", async () => {
    const { sink, response, cleanUp } = open();
    sink.send('{"a":1}', 7);
    sink.send("[DONE]");
    sink.close();
    expect(await response.text()).toBe('id: 7\ndata: {"a":1}\n\ndata: [DONE]\n\n');
    expect(cleanUp).toHaveBeenCalledOnce();
    expect(response.headers.get("cache-control")).toContain("no-transform");
  });

  it("unsubscribes when the client disconnects", () => {
    const { client, sink, cleanUp } = open();
    client.abort();
    expect(cleanUp).toHaveBeenCalledOnce();
    expect(sink.closed).toBe(true);
    sink.send("late", 1);
    sink.close();
    expect(cleanUp).toHaveBeenCalledOnce();
  });

  it("cuts off a reader that never reads rather than filling memory", () => {
    const cleanUp = vi.fn();
    let write: (text: string) => void = () => {};
    textStream(clientOf(new AbortController().signal), (writer) => {
      write = writer;
      return cleanUp;
    });
    for (let n = 0; n < 100 && cleanUp.mock.calls.length === 0; n++) write("x".repeat(100_000));
    expect(cleanUp).toHaveBeenCalledOnce();
  });

  it("disconnects a stalled client", () => {
    const client = { ...clientOf(new AbortController().signal), waiting: () => 5 * 1024 * 1024 };
    const cleanUp = vi.fn();
    let write: (text: string) => void = () => {};
    textStream(client, (writer) => {
      write = writer;
      return cleanUp;
    });
    write("one");
    write("two");
    expect(cleanUp).toHaveBeenCalledOnce();
    expect(client.cutOff).toHaveBeenCalledOnce();
  });

  it("bounds what waits in a response that is written to as Remix does", async () => {
    let max = 0;
    const onDisconnect = vi.fn();
    const server = createServer(async (_, response) => {
      const controller = new AbortController();
      response.once("close", () => controller.abort());
      const client = {
        closed: controller.signal,
        waiting: () => response.writableLength,
        cutOff: () => void response.destroy(),
      };
      let write: (text: string) => void = () => {};
      const stream = textStream(client, (writer) => {
        write = writer;
        return onDisconnect;
      });
      void writeReadableStreamToWritable(stream, response);
      for (let n = 0; n < 1000 && onDisconnect.mock.calls.length === 0; n++) {
        write("x".repeat(100_000));
        max = Math.max(max, response.writableLength);
        await nextTurn();
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => onDisconnect).toHaveBeenCalledOnce();
    expect(max).toBeLessThan(5 * 1024 * 1024);
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("ends at once for a client that has left before", () => {
    const cleanUp = vi.fn();
    const client = new AbortController();
    client.abort();
    textStream(clientOf(client.signal), () => cleanUp);
    expect(cleanUp).toHaveBeenCalledOnce();
  });
});

describe("a relayed stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  type Write = Parameters<Parameters<typeof relay>[0]>[0];

  function relayed() {
    let write: Write = () => undefined;
    let end = (_last?: string) => {};
    const run = (given: Write) => {
      write = given;
      return new Promise<string | undefined>((resolve) => {
        end = resolve;
      });
    };
    const context = clientOf(new AbortController().signal) as unknown as EdgeContext;
    const response = toResponse(relay(run, "~"), 200, new Request("http://console/"), context);
    return { response, write: (text: string) => write(Buffer.from(text)), end: (last: string) => end(last) };
  }

  it("has a heartbeat in each silence, and none after its end", async () => {
    const { response, write, end } = relayed();
    vi.advanceTimersByTime(HEARTBEAT_MS - 1);
    write("a");
    vi.advanceTimersByTime(HEARTBEAT_MS - 1);
    write("b");
    vi.advanceTimersByTime(2 * HEARTBEAT_MS);
    end("c");
    expect(await response.text()).toBe("ab~~c");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has none while its caller is slow, or has gone", async () => {
    const { response, write } = relayed();
    const taken = write("x".repeat(100_000));
    vi.advanceTimersByTime(HEARTBEAT_MS);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(100_000);
    await taken;
    await reader?.cancel();
    expect(() => vi.advanceTimersByTime(HEARTBEAT_MS)).not.toThrow();
  });
});
