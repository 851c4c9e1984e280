import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import type { TestServer } from "./server";

export interface Sent {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
  /** Whether the connection had served an earlier request. */
  isReused: boolean;
}

interface SendOptions {
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  agent?: Agent;
}

/** Sends method, path and headers as they are given; `fetch` normalizes paths and sets some headers itself. */
export function send(
  server: TestServer,
  method: string,
  path: string,
  { headers = {}, body, agent }: SendOptions = {},
): Promise<Sent> {
  const { port, hostname: host } = new URL(server.baseUrl);
  const isChunked = body === undefined || headers["transfer-encoding"] !== undefined;
  const length = isChunked ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((done, failed) => {
    const sent = request(
      { host, port, method, path, headers: { ...length, ...headers }, ...(agent ? { agent } : {}) },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("error", failed).once("end", () => {
          const { statusCode: status, headers } = response;
          done({ status, headers, text, isReused: sent.reusedSocket });
        });
      },
    );
    sent.once("error", failed).end(body);
  });
}
