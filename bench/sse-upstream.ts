import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A minimal upstream for OpenAI's chat protocol, for rates at which aimock is the bottleneck. Numbered
 * tokens let readers detect lost ones.
 */
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const BEGIN = chunk({ role: "assistant", content: "" });
const LAST = `${chunk({}, "stop")}data: [DONE]\n\n`;
const TOKENS: string[] = [];
/** The text of a token is `#17 `. Each is built once. */
function token(n: number): string {
  TOKENS[n] ??= chunk({ content: `#${n} ` });
  return TOKENS[n];
}

const WHOLE = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 0,
  model: "bench",
  choices: [{ index: 0, message: { role: "assistant", content: "word" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
});

/** Streams with the tokens that each has got and is to get. */
type Open = Map<ServerResponse, { sent: number; tokens: number }>;
const paces = new Map<string, Open>();
/** Number of timers over which streams are spread, since real streams aren't synchronized. */
const PHASES = 8;
let begun = 0;

function tick(open: Open): void {
  for (const [response, progress] of open) {
    if (progress.sent < progress.tokens) {
      response.write(token(progress.sent));
      progress.sent++;
    } else {
      open.delete(response);
      response.end(LAST);
    }
  }
}

/** The open streams of a pace and phase, whose timer starts with the first. */
function openAt(paceMs: number, phase: number): Open {
  const key = `${paceMs} ${phase}`;
  const existing = paces.get(key);
  if (existing) return existing;
  const open: Open = new Map();
  paces.set(key, open);
  setTimeout(() => setInterval(tick, paceMs, open), (phase * paceMs) / PHASES);
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
    if (!body.includes('"stream":true')) {
      response.setHeader("content-type", "application/json").end(WHOLE);
      return;
    }
    const [, tokens = "1", pace = "20"] = /tokens:(\d+) pace:(\d+)/.exec(body) ?? [];
    const open = openAt(Number(pace), begun++ % PHASES);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(BEGIN + token(0));
    open.set(response, { sent: 1, tokens: Number(tokens) });
    response.on("close", () => open.delete(response));
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
