import type { ServerResponse } from "node:http";

/** Time without progress before a client is disconnected, in ms. */
const STALL_TIMEOUT = 60_000;

function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), stalledMs);
    response.once("drain", settle).once("close", settle);
  });
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: ServerResponse,
  stalledMs: number,
): Promise<void> {
  let isFull = false;
  // It may drain while the source is silent.
  response.on("drain", () => {
    isFull = false;
  });
  let next = await reader.read();
  while (!next.done && !response.destroyed) {
    isFull = !response.write(next.value);
    // A response that is whole is over for its sender, however slowly it is taken.
    next = await reader.read();
    if (isFull && !next.done) await drained(response, stalledMs);
  }
}

export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Sends a response as fast as the client takes it. A body that fails breaks the connection off. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: Response,
  stalledMs = STALL_TIMEOUT,
): Promise<void> {
  for (const [name, value] of headers)
    if (name === "set-cookie") response.appendHeader(name, value);
    else response.setHeader(name, value);
  response.writeHead(status);
  if (body) {
    const reader = body.getReader();
    const leave = () => void reader.cancel().catch(() => undefined);
    response.once("close", leave);
    if (response.destroyed) leave();
    try {
      await pump(reader, response, stalledMs);
    } catch {
      return void response.destroy();
    }
    response.off("close", leave);
  }
  // Node resets the socket's timer after the response.
  response.setTimeout(stalledMs, () => response.destroy());
  response.end();
}
