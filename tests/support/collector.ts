import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";

interface Received {
  headers: IncomingMessage["headers"];
  body: string;
}

type Answer = (response: ServerResponse, received: Received) => unknown;

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** A collector over HTTP that keeps what it has taken, which is what it answered 200. */
export async function startCollector() {
  const received: Received[] = [];
  let answer: Answer = (response) => response.writeHead(200).end();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += String(piece);
    const one = { headers: request.headers, body };
    received.push(one);
    answer(response, one);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/logs`,
    received,
    /** What it does with each batch from now on. */
    answers(next: Answer) {
      answer = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A certificate of localhost, as files in a folder. */
export function makeCertificate(folder: string) {
  const files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  const request =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost";
  execFileSync(
    "openssl",
    [
      ...request.split(" "),
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      files.key,
      "-out",
      files.cert,
    ],
    { stdio: "ignore" },
  );
  return files;
}

/** Messages of a stream with octet counting (RFC 5425 4.3). */
function splitMessages(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(" ", at);
    const length = Number(bytes.toString("latin1", at, space));
    if (!(length > 0)) throw new Error(`No length at ${at}.`);
    messages.push(bytes.toString("utf8", space + 1, space + 1 + length));
    at = space + 1 + length;
  }
  return messages;
}

/** A syslog server, over TLS with the files of a certificate. */
export async function startSyslog(files?: { key: string; cert: string }) {
  const messages: string[] = [];
  const receive = async (socket: Socket) => {
    const pieces: Buffer[] = [];
    socket.on("error", () => undefined);
    for await (const piece of socket) pieces.push(piece as Buffer);
    messages.push(...splitMessages(Buffer.concat(pieces)));
    socket.end();
  };
  const server = files
    ? createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, receive)
    : createTcpServer({ allowHalfOpen: true }, receive);
  const port = await listen(server);
  return {
    server: `localhost:${port}`,
    messages,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
