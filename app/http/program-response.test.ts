import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ProgramResponse } from "~/platform/endpoint/program.shared";
import { programResponse } from "./program-response.server";

const body = Buffer.alloc(32 * 1024 * 1024, 0x20);
const onComplete = vi.fn();
let server: Server;
let client: Socket;

async function ask(stalledMs: number): Promise<{ raw: ServerResponse; response: ProgramResponse }> {
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
  const raw = await request;
  const { signal } = new AbortController();
  return { raw, response: programResponse(raw, { headers: {}, signal, onComplete, stalledMs }) };
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

describe("a response that its client never reads", () => {
  it("ends with the connection after a complete body, releasing its request first", async () => {
    const { raw, response } = await ask(100);
    response.send("application/json", body);
    expect(onComplete).toHaveBeenCalledOnce();
    await once(raw, "close");
    expect(await takeRest()).toBeLessThan(body.length);
  });

  it("ends with the connection after a finished stream", async () => {
    const { raw, response } = await ask(100);
    response.begin("text/event-stream");
    expect(onComplete).not.toHaveBeenCalled();
    const written = response.write(body);
    written?.catch(() => undefined);
    response.end();
    expect(onComplete).toHaveBeenCalledOnce();
    await once(raw, "close");
    expect(await takeRest()).toBeLessThan(body.length);
  });
});

describe("a response that its client reads", () => {
  it("arrives completely, and the connection is reused", async () => {
    const { raw, response } = await ask(5000);
    response.send("application/json", body);
    let received = 0;
    client.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(raw, "close");
    expect(raw.writableFinished).toBe(true);
    await vi.waitFor(() => expect(received).toBeGreaterThan(body.length));
    expect(client.destroyed).toBe(false);
  });
});
