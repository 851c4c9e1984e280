import { connect } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, openGateway } from "../support/gateway";
import { type HostileProvider, openHostileProvider } from "../support/hostile-provider";

const MODEL = "good";
const messages = [{ role: "user" as const, content: "Hi" }];

let gateway: Gateway;
let far: HostileProvider;

beforeAll(async () => {
  far = await openHostileProvider();
  gateway = await openGateway({ retryAttempts: 0 });
  await gateway.addProvider({ provider: "custom", baseUrl: far.baseUrl("good"), models: [MODEL, "other"] });
});
afterAll(async () => {
  await gateway?.close();
  await far?.close();
});

type Json = Record<string, unknown>;

interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

async function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await gateway.server.ask(path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json", ...headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

const chat = (more: Json) =>
  post("/v1/chat/completions", JSON.stringify({ model: MODEL, messages, ...more }));
const message = (more: Json) =>
  post("/v1/messages", JSON.stringify({ model: MODEL, messages, max_tokens: 9, ...more }));

/** An OpenAI error. */
const openAiError = (message: RegExp, more: Json = {}) => ({
  error: { message: expect.stringMatching(message), type: "invalid_request_error", ...more },
});
/** An Anthropic error. */
const anthropicError = (message: RegExp, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message: expect.stringMatching(message) },
  request_id: expect.stringMatching(/^req_/),
});

const image = (bytes: number) => `data:image/png;base64,${Buffer.alloc(bytes).toString("base64")}`;
const parts = (...content: Json[]) => ({ messages: [{ role: "user", content }] });
const tool = (parameters: unknown) => ({
  tools: [{ type: "function", function: { name: "look_up", parameters } }],
});

describe("a chat completions request", () => {
  it.each<[string, Json, number, RegExp]>([
    ["names no model", { model: "" }, 400, /model/],
    ["names an unknown model", { model: "gpt-unheard-of" }, 404, /"gpt-unheard-of"/],
    ["has no messages", { messages: [] }, 400, /At least one message/],
    ["has messages that aren't any", { messages: "Hi" }, 400, /messages/],
    ["has a tool schema that is a text", tool("object"), 400, /tools\.0\.function\.parameters.*JSON Schema/],
    [
      "has a tool schema of an unknown type",
      tool({ type: "thing" }),
      400,
      /"thing" is not a JSON Schema type/,
    ],
    ["has a tool schema that is no object's", tool({ type: "string" }), 400, /parameters are an "object"/],
    [
      "has 10 MB of text",
      { messages: [{ role: "user", content: "x".repeat(10_000_000) }] },
      413,
      /contain 10\.0 MB of text; at most 4 MB is allowed/,
    ],
    [
      "has an image of 11 MB",
      parts({ type: "image_url", image_url: { url: image(11_000_000) } }),
      400,
      /image is 11\.0 MB; at most 10 MB is allowed/,
    ],
    [
      "has 101 images",
      parts(...Array.from({ length: 101 }, () => ({ type: "image_url", image_url: { url: image(9) } }))),
      400,
      /101 images; at most 100 are allowed/,
    ],
    [
      "has an image that isn't one",
      parts({ type: "image_url", image_url: { url: "data:image/png;base64,###" } }),
      400,
      /must be base64/,
    ],
  ])("that %s is refused in OpenAI's form", async (_, more, status, words) => {
    const answer = await chat(more);
    expect(answer).toMatchObject({ status, body: openAiError(words) });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("that is larger than 16 MB is refused before all of it is there, with and without its length", async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 0x20);
    const refusal = { status: 413, body: openAiError(/larger than 16 MB/) };
    expect(await post("/v1/chat/completions", large)).toMatchObject(refusal);
    const { hostname, port } = new URL(gateway.server.baseUrl);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
    });
    const done = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(
      [
        "POST /v1/chat/completions HTTP/1.1",
        `Host: ${hostname}`,
        `Authorization: Bearer ${gateway.token}`,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        "\r\n",
      ].join("\r\n"),
    );
    const megabyte = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    for (let n = 0; n < 20; n++) socket.write(megabyte);
    socket.end("0\r\n\r\n");
    await done;
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(answer).toContain("larger than 16 MB");
  });

  it("that can't be read is refused, small and large", async () => {
    const padding = " ".repeat(300_000);
    for (const [body, words] of [
      ["{", /not valid JSON/],
      ['{"\\x":1}', /not valid JSON/],
      ["[]", /JSON object/],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), /not valid UTF-8/],
      ["[".repeat(100), /nests deeper than 64/],
      [`{"a":[${"0,".repeat(600_000)}0]}`, /contains more than 500000 values/],
    ] as const) {
      const large = typeof body === "string" ? body + padding : Buffer.concat([body, Buffer.from(padding)]);
      for (const sent of [body, large]) {
        const answer = await post("/v1/chat/completions", sent);
        expect(answer).toMatchObject({ status: 400, body: openAiError(words) });
      }
    }
  });

  it("of another type or packed is refused", async () => {
    const body = JSON.stringify({ model: MODEL, messages });
    for (const [name, value] of [
      ["content-type", "text/plain"],
      ["content-encoding", "gzip"],
    ] as const) {
      const answer = await post("/v1/chat/completions", body, { [name]: value });
      expect(answer).toMatchObject({ status: 415, body: openAiError(/Send the body/) });
    }
  });

  it("continues as it came, but for the model and the usage that is asked for", async () => {
    const body = `{ "model" : "${MODEL}","messages":[{"role":"user","content":"ü"}],\n "stream":true, "seed": 12345678901234567890, "unknown":{"a":1.0} }`;
    await post("/v1/chat/completions", body).catch(() => undefined);
    expect(far.requests.at(-1)?.body).toBe(
      body
        .replace('"model" : "good"', '"model" :"good"')
        .replace(/ \}$/, ' ,"stream_options":{"include_usage":true}}'),
    );
    expect(far.requests.at(-1)?.headers).not.toHaveProperty("x-api-key");
  });

  it("of 5 MB with an image reaches the provider whole", async () => {
    const url = image(5_000_000);
    const answer = await chat(
      parts({ type: "text", text: "See" }, { type: "image_url", image_url: { url } }),
    );
    expect(answer.status).toBe(200);
    expect(far.requests.at(-1)?.body).toContain(url);
  });
});

describe("a messages request", () => {
  it.each<[string, Json, number, RegExp, string]>([
    ["names an unknown model", { model: "claude-unheard-of" }, 404, /claude-unheard-of/, "not_found_error"],
    ["has no max_tokens", { max_tokens: undefined }, 400, /max_tokens/, "invalid_request_error"],
    [
      "has a tool schema that isn't one",
      { tools: [{ name: "t", input_schema: { type: 5 } }] },
      400,
      /tools\.0\.input_schema/,
      "invalid_request_error",
    ],
    [
      "has 10 MB of text",
      { messages: [{ role: "user", content: "x".repeat(10_000_000) }] },
      413,
      /10\.0 MB of text/,
      "request_too_large",
    ],
  ])("that %s is refused in Anthropic's form", async (_, more, status, words, type) => {
    expect(await message(more)).toMatchObject({ status, body: anthropicError(words, type) });
  });
});

describe("embeddings, rerank and responses requests", () => {
  it.each<[string, Json, RegExp]>([
    ["/v1/embeddings", { input: [] }, /empty/],
    ["/v1/embeddings", { input: Array.from({ length: 3000 }, () => "x") }, /at most 2048/],
    ["/v1/rerank", { documents: ["x"] }, /query must be a string/],
    ["/v1/rerank", { query: "", documents: ["x"] }, /query is empty/],
    ["/v1/rerank", { query: "x".repeat(32_001), documents: ["x"] }, /at most 32,000 characters/],
    ["/v1/rerank", { query: "x" }, /documents/],
    ["/v1/rerank", { query: "x", documents: [] }, /no documents/],
    ["/v1/rerank", { query: "x", documents: ["x", ""] }, /documents\.1.*is empty/],
    ["/v1/rerank", { query: "x", documents: [{ image: "x" }] }, /must be a string, or an object/],
    ["/v1/rerank", { query: "x", documents: Array.from({ length: 1001 }, () => "x") }, /At most 1,000 doc/],
    [
      "/v1/rerank",
      { query: "x", documents: ["x".repeat(2_100_000), "x".repeat(2_100_000)] },
      /4\.2 MB of text/,
    ],
    ["/v1/rerank", { query: "x", documents: ["x"], top_n: 0 }, /top_n/],
    ["/v1/responses", { input: 5 }, /input/],
    ["/v1/responses", { input: "x", tools: [{ type: "function", parameters: 5 }] }, /JSON Schema/],
  ])("to %s are checked too", async (path, more, words) => {
    const answer = await post(path, JSON.stringify({ model: MODEL, ...more }));
    expect(answer).toMatchObject({ status: 400, body: openAiError(words) });
  });
});

describe("who asks", () => {
  it("needs a token, which a session is not", async () => {
    for (const path of ["/v1/models", "/v1/messages"]) {
      const method = path === "/v1/models" ? "GET" : "POST";
      const response = await gateway.server.ask(path, { as: "owner", method });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="API"');
      const body = await response.json();
      expect(body).toMatchObject(
        path === "/v1/models"
          ? openAiError(/API token/)
          : anthropicError(/API token/, "authentication_error"),
      );
    }
  });

  it("is reported by the clients' own error classes", async () => {
    await expect(gateway.openai("qd_wrong").models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(
      gateway.anthropic("qd_wrong").messages.create({ model: MODEL, messages, max_tokens: 9 }),
    ).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const narrow = await gateway.newToken({ scopes: ["screens.read"] });
    await expect(gateway.openai(narrow).models.list()).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(gateway.openai().chat.completions.create({ model: "none", messages })).rejects.toMatchObject(
      { status: 404, code: "model_not_found", param: "model" },
    );
  });

  it("gets only the models of its list", async () => {
    const token = await gateway.newToken({ models: [MODEL] });
    const { data } = await gateway.openai(token).models.list();
    expect(data.map(({ id }) => id)).toEqual([MODEL]);
    await gateway.openai(token).chat.completions.create({ model: MODEL, messages });
    for (const model of ["other", "quarterdeck-offline"]) {
      const refused = gateway.openai(token).chat.completions.create({ model, messages });
      await expect(refused).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("isn't allowed to call the model"),
      });
    }
  });

  it("gets no model that is limited to a group of others, by any way in", async () => {
    const ask = gateway.server.ask.bind(gateway.server);
    const limit = (groups: string[] | null) =>
      ask(`/api/models?id=${MODEL}`, { as: "owner", method: "PATCH", json: { groups } });
    const groupId = await gateway.created("/api/groups", { name: "Research", members: [] });
    expect((await limit([groupId])).status).toBe(200);
    const { data } = await gateway.openai().models.list();
    expect(data.map(({ id }) => id)).not.toContain(MODEL);
    const refusal = "is limited to the group Research";
    const calls = [
      () => gateway.openai().chat.completions.create({ model: MODEL, messages }),
      () => gateway.openai().responses.create({ model: MODEL, input: "Hello" }),
      () => gateway.openai().embeddings.create({ model: MODEL, input: "Hello" }),
      () => gateway.anthropic().messages.create({ model: MODEL, messages, max_tokens: 9 }),
      () => gateway.anthropic().messages.countTokens({ model: MODEL, messages }),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ message: expect.stringContaining(refusal) });
    const inConsole = [
      ["/api/ai/chat", { messages, model: MODEL }],
      ["/api/ai/comparisons", { prompt: "Hello", models: [MODEL, "quarterdeck-offline"] }],
    ] as const;
    for (const [path, json] of inConsole) {
      const response = await ask(path, { as: "member", json });
      expect([path, response.ok, await response.text()]).toEqual([
        path,
        false,
        expect.stringContaining(refusal),
      ]);
    }
    const listed = await (await ask("/api/ai/models", { as: "member" })).text();
    expect(listed).not.toContain(`"${MODEL}"`);
    expect((await ask(`/api/groups/${groupId}/members/usr_member`, { as: "owner", method: "PUT" })).ok).toBe(
      true,
    );
    await gateway.openai().chat.completions.create({ model: MODEL, messages });
    expect((await limit(null)).status).toBe(200);
  });

  it("gets as many calls a minute as it may, and learns when the next may begin", async () => {
    const token = await gateway.newToken({ requestsPerMinute: 2 });
    const create = () => gateway.openai(token).chat.completions.create({ model: MODEL, messages });
    await create();
    await create();
    const refused = await create().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    if (!(refused instanceof OpenAI.RateLimitError)) return;
    // Two a minute: the next may begin half a minute after the first did.
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(30);
    // Looking at the list costs no provider anything.
    await gateway.openai(token).models.list();
  });
});

describe("methods and addresses", () => {
  const ask = (path: string, method: string) => gateway.server.ask(path, { method, token: gateway.token });

  it("that aren't there are reported in the caller's protocol", async () => {
    expect((await gateway.server.ask("/v1/nothing")).status).toBe(401);
    const unknown = await ask("/v1/nothing", "GET");
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      openAiError(/\/v1\/nothing not found/),
    ]);
    const unknownMessage = await ask("/v1/messages/batches", "POST");
    expect([unknownMessage.status, await unknownMessage.json()]).toMatchObject([
      404,
      anthropicError(/batches/, "not_found_error"),
    ]);
    const wrong = await ask("/v1/chat/completions", "GET");
    expect([wrong.status, wrong.headers.get("allow"), await wrong.json()]).toMatchObject([
      405,
      "POST",
      openAiError(/supports POST, not GET/),
    ]);
    expect((await ask("/v1/messages", "DELETE")).status).toBe(405);
  });

  it("that aren't below /v1 are answered with where they are, also to a key that isn't a bearer's", async () => {
    const key = { "x-api-key": gateway.token };
    const azure = "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21";
    for (const path of ["/chat/completions", "/responses", "/embeddings", azure, "/some/where"]) {
      const headers = path === azure ? { "api-key": gateway.token } : key;
      const response = await gateway.server.ask(path, { headers, json: { model: MODEL } });
      expect([response.status, await response.json()]).toMatchObject([
        404,
        openAiError(/base URL is http.*\/v1/),
      ]);
    }
    const message = await gateway.server.ask("/messages", { headers: key, json: { model: MODEL } });
    expect([message.status, await message.json()]).toMatchObject([
      404,
      anthropicError(/base URL is/, "not_found_error"),
    ]);
    const models = await gateway.server.ask("/models", { token: gateway.token });
    expect([models.status, await models.json()]).toMatchObject([404, openAiError(/base URL is/)]);
  });

  it("HEAD and OPTIONS are answered without a body, and no other site is let in", async () => {
    const head = await ask("/v1/models", "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const options = await ask("/v1/models", "OPTIONS");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD"]);
    expect(options.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("as Remix would fetch data are not found", async () => {
    expect((await ask("/v1/models.data", "GET")).status).toBe(404);
  });
});

describe("all of this", () => {
  it("leaves nothing unexpected in the log", () => {
    expect(gateway.server.output).not.toMatch(/unhandled rejection|unexpected error/);
  });
});
