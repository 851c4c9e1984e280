import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sendResponse } from "./send-response.server";

const body = Buffer.alloc(32 * 1024 * 1024, 0x20);
let server: Server;
let client: Socket;

async function ask(): Promise<ServerResponse> {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("No port.");
  const request = new Promise<ServerResponse>((resolve) =>
    server.on("request", (_, response) => resolve(response)),
  );
  client = connect(address.port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  return request;
}

async function takeRest(): Promise<number> {
  let received = 0;
  client.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  await once(client, "close");
  return received;
}

afterEach(() => {
  client.destroy();
  server.close();
});

describe("a response that its client never reads", () => {
  it("ends with the connection after a complete body, and is over for its sender first", async () => {
    const raw = await ask();
    await sendResponse(raw, new Response(body), 100);
    await once(raw, "close");
    expect(await takeRest()).toBeLessThan(body.length);
  });

  it("ends a stream with the connection, and its source hears of it", async () => {
    const raw = await ask();
    const cancel = vi.fn();
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(body.subarray(0, 65_536));
    await sendResponse(raw, new Response(new ReadableStream({ pull, cancel })), 100);
    expect([raw.destroyed, cancel.mock.calls.length]).toEqual([true, 1]);
  });
});

describe("a response whose client has gone", () => {
  it("isn't begun, and its source hears of it", async () => {
    const raw = await ask();
    client.destroy();
    await once(raw, "close");
    const cancel = vi.fn();
    await sendResponse(raw, new Response(new ReadableStream({ cancel })), 100);
    expect(cancel).toHaveBeenCalledOnce();
  });
});

describe("a response whose source fails", () => {
  it("breaks the connection off", async () => {
    const raw = await ask();
    const received = takeRest();
    const failing = new ReadableStream({
      start(controller) {
        controller.enqueue(body.subarray(0, 100));
      },
      pull(controller) {
        controller.error(new Error("The source failed."));
      },
    });
    await sendResponse(raw, new Response(failing), 5000);
    await received;
    expect([raw.destroyed, raw.writableFinished]).toEqual([true, false]);
  });
});

describe("a response that its client reads", () => {
  it("arrives completely, and the connection is reused", async () => {
    const raw = await ask();
    const sent = sendResponse(raw, new Response(body), 5000);
    let received = 0;
    client.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(raw, "close");
    await sent;
    expect(raw.writableFinished).toBe(true);
    await expect.poll(() => received).toBeGreaterThan(body.length);
    expect(client.destroyed).toBe(false);
  });

  it("goes on after a large piece, although the client took it while the source was silent", async () => {
    const raw = await ask();
    client.resume();
    const source = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(body.subarray(0, 1024 * 1024));
        await once(raw, "drain");
        controller.enqueue(body.subarray(0, 100));
        controller.close();
      },
    });
    const sent = sendResponse(raw, new Response(source), 200);
    await once(raw, "close");
    await sent;
    expect(raw.writableFinished).toBe(true);
  });
});
