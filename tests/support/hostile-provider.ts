import type { ServerResponse } from "node:http";
import { type MockServer, startMockServer } from "./mock-server";

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

/** A response in both protocols. */
const OPENAI = {
  start: chunk({ role: "assistant", content: "" }),
  token: chunk({ content: "The beginning " }),
  end: `${chunk({}, "stop")}data: [DONE]\n\n`,
  error: `data: {"error":{"message":"overloaded, key sk-secret-123456","type":"server_error"}}\n\n`,
  ping: ": still thinking\n\n",
  whole: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Whole." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
};
const ANTHROPIC: typeof OPENAI = {
  start:
    event("message_start", {
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    }) + event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  token: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "The beginning " } }),
  end:
    event("content_block_stop", { index: 0 }) +
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    }) +
    event("message_stop"),
  error: event("error", { error: { type: "overloaded_error", message: "key sk-secret-123456" } }),
  ping: event("ping"),
  whole: {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Whole." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 2 },
  } as never,
};

interface Scene {
  response: ServerResponse;
  words: typeof OPENAI;
  stream: boolean;
  /** Starts an event stream with frames. */
  begin(...frames: string[]): void;
  json(status: number, body: unknown): void;
}

/** What providers of both protocols say of their pace, and what only they should know. */
function setPace(response: ServerResponse, remaining: number) {
  response.setHeader("anthropic-ratelimit-requests-remaining", remaining);
  response.setHeader("x-ratelimit-remaining-requests", remaining);
  response.setHeader("x-ratelimit-reset-tokens", "6m0s");
  response.setHeader("openai-processing-ms", "12");
  response.setHeader("x-internal", "no");
}

const drip = (response: ServerResponse, text: string) => {
  let at = 0;
  const timer = setInterval(() => response.write(text[at++ % text.length] ?? " "), 50);
  response.on("close", () => clearInterval(timer));
};

/** Misbehaviors by name, selected by the URL. */
const BEHAVIOURS = {
  good: ({ begin, json, words, stream, response }) => {
    setPace(response, 41);
    if (response.req.url?.endsWith("/count_tokens")) return json(200, { input_tokens: 42 });
    if (!stream) return json(200, words.whole);
    begin(words.start, words.token, words.end);
    response.end();
  },
  html: ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  type: ({ response }) => response.writeHead(200, { "content-type": "text/plain" }).end("Hello."),
  half: ({ response, stream, begin }) => {
    if (stream) begin('data: {"choices":[{"del\n\n');
    else response.writeHead(200, { "content-type": "application/json" }).write('{"choices":[{"mess');
    response.end();
  },
  silent: () => undefined,
  drip: ({ response, stream }) => {
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
    drip(response, stream ? "data: {" : " ");
  },
  gone: ({ response }) => response.destroy(),
  empty: ({ begin, response, stream, json }) => {
    if (!stream) return json(200, {});
    begin();
    response.end();
  },
  error: ({ begin, json, words, stream, response }) => {
    if (!stream) return json(200, { error: { message: "overloaded, key sk-secret-123456" } });
    begin(words.start, words.error);
    response.end();
  },
  refused: ({ json }) =>
    json(400, {
      error: {
        type: "invalid_request_error",
        message: "max_tokens is too large for this model; your key sk-secret-123456 is fine",
      },
    }),
  key: ({ json }) => json(401, { error: { message: "Incorrect API key provided: sk-secret-123456" } }),
  broken: ({ json }) => json(500, { error: { message: "Traceback: sk-secret-123456" } }),
  overloaded: ({ json, response }) => {
    setPace(response, 0);
    json(529, { type: "error", error: { type: "overloaded_error", message: "Busy" } });
  },
  limited: ({ json, response }) => {
    setPace(response, 0);
    json(429, { error: { type: "rate_limit_error", message: "Slow down" } });
  },
  "late-close": ({ begin, words, response }) => {
    begin(words.start, words.token);
    setImmediate(() => response.destroy());
  },
  "late-end": ({ begin, words, response }) => {
    begin(words.start, words.token);
    response.end();
  },
  "late-error": ({ begin, words }) => begin(words.start, words.token, words.error),
  "late-garbage": ({ begin, words }) => begin(words.start, words.token, 'data: {"choices":[{"de\n\n'),
  "late-silence": ({ begin, words }) => begin(words.start, words.token),
  "late-drip": ({ begin, words, response }) => {
    begin(words.start, words.token);
    drip(response, "data: {");
  },
  // Longer than the tests wait between two bytes.
  thinks: ({ begin, words, response }) => {
    begin(words.start);
    let pings = 0;
    const timer = setInterval(() => {
      if (pings++ < 12) return void response.write(words.ping);
      clearInterval(timer);
      response.end(words.token + words.end);
    }, 50);
    response.on("close", () => clearInterval(timer));
  },
  "never-closes": ({ begin, words }) => begin(words.start, words.token, words.end),
  steady: ({ begin, words, response }) => {
    begin(words.start, words.token);
    const timer = setInterval(() => response.write(words.token), 50);
    response.on("close", () => clearInterval(timer));
  },
  endless: ({ begin, words, response }) => {
    begin(words.start);
    const more = () => {
      while (!response.destroyed && response.write(words.token));
    };
    response.on("drain", more);
    more();
  },
} satisfies Record<string, (scene: Scene) => unknown>;
export type Behaviour = keyof typeof BEHAVIOURS;

export interface HostileProvider extends MockServer {
  baseUrl(behaviour: Behaviour): string;
  /** Connections closed early by the client. */
  disconnected: Behaviour[];
  /** Total bytes written. */
  written: () => number;
}

function isBehaviour(name: string | undefined): name is Behaviour {
  return name !== undefined && name in BEHAVIOURS;
}

/** An OpenAI and Anthropic provider that misbehaves by URL. */
export async function openHostileProvider(): Promise<HostileProvider> {
  const disconnected: Behaviour[] = [];
  let written = 0;
  const upstream = await startMockServer((request, response) => {
    const [, behaviour] = (request.url ?? "").split("/");
    if (request.method === "GET" || !isBehaviour(behaviour)) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
      return;
    }
    const { stream } = JSON.parse(request.text) as { stream?: boolean };
    const write = response.write.bind(response);
    response.write = (piece: string) => {
      written += piece.length;
      return write(piece);
    };
    response.on("close", () => {
      if (!response.writableFinished) disconnected.push(behaviour);
    });
    BEHAVIOURS[behaviour]({
      response,
      words: request.url?.endsWith("/messages") ? ANTHROPIC : OPENAI,
      stream: stream === true,
      begin: (...frames) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.flushHeaders();
        if (frames.length > 0) response.write(frames.join(""));
      },
      json: (status, body) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    });
  });
  return {
    ...upstream,
    disconnected: disconnected,
    written: () => written,
    baseUrl: (behaviour) => `${upstream.origin}/${behaviour}/v1`,
  };
}
