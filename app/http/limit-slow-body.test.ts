import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { limitSlowBody } from "./limit-slow-body.server";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  graceMs = 300,
): Promise<number> {
  server = createServer((request, response) => {
    limitSlowBody(request, response, { graceMs, bytesPerSecond: 1000 });
    handle(request, response);
  }).listen(0, "127.0.0.1");
  server.requestTimeout = 0;
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Sends a head and a byte now and then, until the server ends the connection. @returns what it answered */
async function trickle(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write("POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  const drip = setInterval(() => socket.write("a"), 20);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);
  return received;
}

it("ends a request whose body trickles in, with the reason", async () => {
  const port = await serve((request) => void request.resume());
  const answer = await trickle(port);
  expect(answer).toContain("400");
  expect(answer).toContain("too slowly");
});

it("ends it too where the answer was sent before the body's end", async () => {
  const port = await serve((request, response) => {
    response.end("refused");
    request.resume();
  });
  expect(await trickle(port)).toContain("refused");
});

it("leaves a body alone that arrives fast enough", async () => {
  const port = await serve((request, response) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on("end", () => response.end(String(size)));
  }, 1);
  const init = { method: "POST", body: new Uint8Array(2_000_000) };
  expect(await (await fetch(`http://127.0.0.1:${port}/`, init)).text()).toBe("2000000");
});
