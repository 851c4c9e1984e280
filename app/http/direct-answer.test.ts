import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { DirectAnswer } from "./direct.server";
import { directAnswer } from "./direct-answer.server";

const body = Buffer.alloc(32 * 1024 * 1024, 0x20);
const onComplete = vi.fn();
let server: Server;
let client: Socket;

async function ask(stalledMs: number): Promise<{ response: ServerResponse; answer: DirectAnswer }> {
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
  const response = await request;
  const { signal } = new AbortController();
  return { response, answer: directAnswer(response, { headers: {}, signal, onComplete, stalledMs }) };
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
  onComplete.mockReset();
  client.destroy();
  server.close();
});

describe("an answer that its client never reads", () => {
  it("is cut off when it came in one piece, and needs its request no more before", async () => {
    const { response, answer } = await ask(100);
    answer.send("application/json", body);
    expect(onComplete).toHaveBeenCalledOnce();
    await once(response, "close");
    expect(await takeRest()).toBeLessThan(body.length);
  });

  it("is cut off when it was a stream whose end is written", async () => {
    const { response, answer } = await ask(100);
    answer.begin("text/event-stream");
    expect(onComplete).not.toHaveBeenCalled();
    const written = answer.write(body);
    written?.catch(() => undefined);
    answer.end();
    expect(onComplete).toHaveBeenCalledOnce();
    await once(response, "close");
    expect(await takeRest()).toBeLessThan(body.length);
  });
});

describe("a stream that doesn't wait for its client", () => {
  it("is disconnected when its buffer is full", async () => {
    const { response, answer } = await ask(5000);
    answer.begin("text/event-stream");
    answer.push(body.toString("latin1"));
    await once(response, "close");
    answer.push("more");
    expect(response.writableFinished).toBe(false);
  });
});

describe("an answer that its client reads", () => {
  it("arrives completely, and the connection is reused", async () => {
    const { response, answer } = await ask(5000);
    answer.send("application/json", body);
    let received = 0;
    client.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(response, "close");
    expect(response.writableFinished).toBe(true);
    await vi.waitFor(() => expect(received).toBeGreaterThan(body.length));
    expect(client.destroyed).toBe(false);
  });
});
