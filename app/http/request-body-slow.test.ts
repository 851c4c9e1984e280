import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createSlowBodyLimit } from "./request-body.server";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Limits = Partial<Parameters<typeof createSlowBodyLimit>[0]>;

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  limits: Limits = { megabyteMs: 300 },
): Promise<number> {
  const limit = createSlowBodyLimit({ strangerOf: () => "192.0.2.1", ...limits });
  server = createServer((request, response) => {
    limit(request, response);
    handle(request, response);
  }).listen(0, "127.0.0.1");
  server.requestTimeout = 0;
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Sends a head, and the piece now and then. @returns what the server answered until it ended the connection */
async function trickle(
  port: number,
  { piece = "a", first = "", length = 1_000_000, sockets = [] as Socket[] } = {},
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(`POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${first}`);
  const drip = setInterval(() => socket.write(piece), 20);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);
  return received;
}

const discard = (request: IncomingMessage) => void request.resume();

it.each([
  ["by a byte", { piece: "a" }],
  ["by a kilobyte", { piece: "a".repeat(1000) }],
  ["after its first megabytes", { first: "a".repeat(3_000_000), length: 9_000_000 }],
])("ends a request whose body trickles in %s, with the reason", async (_, options) => {
  const answer = await trickle(await serve(discard), options);
  expect(answer).toContain("408");
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
  const port = await serve(
    (request, response) => {
      let size = 0;
      request.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on("end", () => response.end(String(size)));
    },
    { megabyteMs: 5000 },
  );
  const init = { method: "POST", body: new Uint8Array(2_000_000) };
  expect(await (await fetch(`http://127.0.0.1:${port}/`, init)).text()).toBe("2000000");
});

it("refuses one body too many of a stranger's, and takes one again when another has ended", async () => {
  const limits = { countedAfterMs: 20, maxFromStranger: 2 };
  const arrived: IncomingMessage[] = [];
  const port = await serve((request) => {
    arrived.push(request);
    request.resume();
  }, limits);
  const sockets: Socket[] = [];
  const all = [1, 2, 3].map(() => trickle(port, { sockets }));
  const refused = await Promise.race(all);
  expect(refused).toContain("429");
  expect(refused).toContain("2 bodies are still arriving from 192.0.2.1.");
  expect(arrived).toHaveLength(3);
  for (const socket of sockets) socket.destroy();
  await Promise.all(all);
  const again = [1, 2, 3].map(() => trickle(port, { sockets }));
  expect(await Promise.race(again)).toContain("429");
  for (const socket of sockets) socket.destroy();
  expect((await Promise.all(again)).filter(Boolean)).toHaveLength(1);
});

it("counts none of somebody with a session", async () => {
  const asked: string[] = [];
  const port = await serve(discard, {
    megabyteMs: 300,
    countedAfterMs: 20,
    maxFromStranger: 0,
    strangerOf: ({ url }) => void asked.push(url ?? ""),
  });
  expect(await trickle(port)).toContain("408");
  expect(asked).toEqual(["/login"]);
});
