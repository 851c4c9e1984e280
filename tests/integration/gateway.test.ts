import Anthropic from "@anthropic-ai/sdk";
import type { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock } from "../support/aimock";
import { startServer, type TestServer } from "../support/server";

const GREETING = "Hello from the other end.";

let server: TestServer;
let mock: LLMock;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  mock = await startAimock();
  server = await startServer();
  const token = await server.createToken("member");
  const config = { baseUrl: `${mock.url}/v1`, models: ["custom-model"] };
  const json = { provider: "custom", displayName: "Mock", enabled: true, config };
  const made = await server.ask("/api/providers", { as: "owner", json });
  expect(made.status, await made.clone().text()).toBe(201);
  openai = new OpenAI({ apiKey: token, baseURL: `${server.baseUrl}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: token, baseURL: server.baseUrl, maxRetries: 0 });
});
afterAll(async () => {
  await server?.close();
  await mock?.stop();
});

const messages = [{ role: "user" as const, content: "greet" }];

describe.each(["custom-model", "quarterdeck-offline"])("the official clients with %s", (model) => {
  const said = (text: string) =>
    model === "custom-model" ? expect(text).toBe(GREETING) : expect(text).toContain("built-in");

  it("find it in the list", async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toContain(model);
  });

  it("get an answer as OpenAI's, whole and streamed", async () => {
    const whole = await openai.chat.completions.create({ model, messages });
    said(whole.choices[0]?.message.content ?? "");
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    said(text);
  });

  it("get an answer as Anthropic's, whole and streamed", async () => {
    const whole = await anthropic.messages.create({ model, messages, max_tokens: 100 });
    said(whole.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    said(await anthropic.messages.stream({ model, messages, max_tokens: 100 }).finalText());
  });
});
