import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WORD } from "./workload";

/**
 * The smallest far end that speaks OpenAI's chat stream: one token to every open stream of a pace, from one timer.
 * It stands in where aimock, with a timer and a JSON object per stream and token, is itself the bottleneck.
 */
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const FIRST = chunk({ role: "assistant", content: WORD });
const NEXT = chunk({ content: WORD });
const LAST = `${chunk({}, "stop")}data: [DONE]\n\n`;

type Open = Map<ServerResponse, number>;
const paces = new Map<number, Open>();

function tick(open: Open): void {
  for (const [response, left] of open) {
    if (left > 0) {
      response.write(NEXT);
      open.set(response, left - 1);
    } else {
      open.delete(response);
      response.end(LAST);
    }
  }
}

/** The open streams of a pace, whose timer starts with the first. */
function openAt(paceMs: number): Open {
  const known = paces.get(paceMs);
  if (known) return known;
  const open: Open = new Map();
  paces.set(paceMs, open);
  setInterval(tick, paceMs, open);
  return open;
}

const server = createServer((request, response) => {
  if (request.method !== "POST") {
    response.setHeader("content-type", "application/json").end('{"object":"list","data":[]}');
    return;
  }
  let body = "";
  request.on("data", (part: Buffer) => {
    body += part.toString();
  });
  request.on("end", () => {
    const [, tokens = "1", pace = "20"] = /tokens:(\d+) pace:(\d+)/.exec(body) ?? [];
    const open = openAt(Number(pace));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(FIRST);
    open.set(response, Number(tokens) - 1);
    response.on("close", () => open.delete(response));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`ready at ${(server.address() as AddressInfo).port}`));
