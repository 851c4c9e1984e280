import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

/** As many as an address without a session may have on their way, and more. */
const LIMIT = 32;
const MORE = 8;

let server: TestServer;
const sockets: Socket[] = [];
beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: "1" } });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** Sends the head of a sign-in and a byte of its body. @returns what is answered, once it is complete */
function begin(address: string, headers = ""): Promise<string> {
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(
    `POST /login HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${server.baseUrl}\r\nX-Forwarded-For: ${address}\r\n${headers}Content-Length: 1000000\r\n\r\na`,
  );
  return new Promise((resolve) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.once("close", () => resolve(received));
  });
}

it("an address without an account keeps only some bodies on their way, and others go on", async () => {
  const answers: string[] = [];
  const token = `Authorization: Bearer ${await server.createToken("member")}\r\n`;
  const keep = (answer: Promise<string>) => void answer.then((text) => answers.push(text));
  for (let n = 0; n < LIMIT + MORE; n++) keep(begin("203.0.113.1"));
  // Neither somebody with a token at the same address nor a stranger elsewhere is among them.
  keep(begin("203.0.113.1", token));
  keep(begin("203.0.113.2"));
  await expect.poll(() => answers.length).toBe(MORE);
  for (const answer of answers) {
    expect(answer).toContain("HTTP/1.1 429");
    expect(answer).toMatch(/retry-after: 60/i);
    expect(answer).toContain(`${LIMIT} bodies are still arriving from 203.0.113.1.`);
  }
  const headers = { "x-forwarded-for": "203.0.113.1", origin: server.baseUrl };
  const form = new URLSearchParams({ email: "nobody@example.test", password: "wrong" });
  expect((await server.ask("/login", { method: "POST", body: form, headers })).status).toBeLessThan(429);
  expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(LIMIT + 2);
});
