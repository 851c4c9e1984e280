import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface MockServer {
  /** Such as `http://127.0.0.1:40123`. */
  origin: string;
  port: number;
  requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
  connections: () => number;
  close(): Promise<void>;
}

export type Answer = (
  request: IncomingMessage & { text: string; bytes: Buffer },
  response: ServerResponse,
) => unknown;

function recorder(requests: MockServer["requests"], answer: Answer): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const body = bytes.toString();
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body });
      answer(Object.assign(request, { text: body, bytes }), response);
    });
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** A loopback HTTP server that records requests. */
export async function startMockServer(answer: Answer): Promise<MockServer> {
  const requests: MockServer["requests"] = [];
  let connections = 0;
  const server = createServer(recorder(requests, answer));
  server.on("connection", () => {
    connections += 1;
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
