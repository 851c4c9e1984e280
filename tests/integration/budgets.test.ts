import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Budget } from "~/team/budgets/budgets.schema";
import type { Run } from "~/work/workflows/runs.schema";
import { plainBrowser } from "../support/forms";
import { type Gateway, openGateway } from "../support/gateway";
import { type MockServer, startMockServer } from "../support/mock-server";

const MODEL = "metered";
const messages = [{ role: "user" as const, content: "Hi" }];
const input = { model: MODEL, messages, max_tokens: 50 };
const USED_UP = /The daily budget of the organization is used up\. It resets on/;

let gateway: Gateway;
let upstream: MockServer;
/** Resolves when a call has reached the provider, which then never answers. */
let reached = Promise.resolve();
let arrive = () => {};
let isHanging = false;

beforeAll(async () => {
  upstream = await startMockServer((_, response) => {
    arrive();
    if (isHanging) return;
    const choices = [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 90, completion_tokens: 10 };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: MODEL, choices, usage }));
  });
  gateway = await openGateway({ retryAttempts: 0 });
  await gateway.addProvider({ provider: "openai", baseUrl: `${upstream.origin}/v1`, models: [MODEL] });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const list = async () =>
  (await (await gateway.server.ask("/api/budgets", { as: "admin" })).json()) as Budget[];
const figures = async () => (await list()).map(({ spent, reserved }) => ({ spent, reserved }));

/** The status, the protocol's name of the error and its message. */
async function refusalOf(call: Promise<unknown>): Promise<unknown[]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof OpenAI.APIError) return [error.status, error.type, error.code, error.message];
    if (error instanceof Anthropic.APIError) {
      const { error: body } = error.error as { error: { type: string; message: string } };
      return [error.status, body.type, undefined, body.message];
    }
    throw error;
  }
  throw new Error("Nothing was refused");
}

describe("a budget over the gateway", () => {
  it("counts what a call took, and an estimate of what a killed process had sent", async () => {
    const id = await gateway.created("/api/budgets", {
      target: "organisation",
      unit: "tokens",
      period: "month",
      limit: 1_000_000,
    });
    await gateway.openai().chat.completions.create(input);
    expect(await figures()).toEqual([{ spent: 100, reserved: 0 }]);
    // The record of the call follows its answer; later budgets count what was spent by the records.
    const usage = async () => (await gateway.server.ask("/api/usage?by=model", { as: "admin" })).text();
    await expect.poll(usage).toContain(MODEL);
    isHanging = true;
    reached = new Promise((resolve) => {
      arrive = resolve;
    });
    const lost = gateway.openai().chat.completions.create(input);
    const ended = expect(lost).rejects.toThrow();
    await reached;
    expect(await figures()).toEqual([{ spent: 100, reserved: expect.any(Number) }]);
    expect((await list())[0]?.reserved).toBeGreaterThan(50);
    await gateway.server.kill();
    await ended;
    await gateway.server.start();
    isHanging = false;
    const [after] = await figures();
    expect(after?.reserved).toBe(0);
    // The prompt was sent, and an answer in one piece may have been written whole.
    expect(after?.spent).toBeGreaterThan(100 + input.max_tokens);
    expect(after?.spent).toBeLessThan(200);
    const removed = await gateway.server.ask(`/api/budgets/${id}`, { as: "admin", method: "DELETE" });
    expect(removed.status).toBe(204);
  });

  it("is refused in each protocol's own form once it is used up", async () => {
    await gateway.created("/api/budgets", {
      target: "organisation",
      unit: "tokens",
      period: "day",
      limit: 100,
    });
    const openai = gateway.openai();
    const anthropic = gateway.anthropic();
    const refused = [402, "insufficient_quota", "budget_exceeded", expect.stringMatching(USED_UP)];
    const before = upstream.requests.length;
    expect(await refusalOf(openai.chat.completions.create(input))).toEqual(refused);
    expect(await refusalOf(openai.chat.completions.create({ ...input, stream: true }))).toEqual(refused);
    expect(await refusalOf(openai.responses.create({ model: MODEL, input: "Hi" }))).toEqual(refused);
    expect(await refusalOf(openai.embeddings.create({ model: MODEL, input: "Hi" }))).toEqual(refused);
    const headers = { authorization: `Bearer ${gateway.token}` };
    const ranking = { model: MODEL, query: "Hi", documents: ["Hello"] };
    const ranked = await gateway.server.ask("/v1/rerank", { headers, json: ranking });
    expect([ranked.status, await ranked.json()]).toMatchObject([402, { error: { code: "budget_exceeded" } }]);
    const billing = [402, "billing_error", undefined, expect.stringMatching(USED_UP)];
    expect(await refusalOf(anthropic.messages.create(input))).toEqual(billing);
    expect(await refusalOf(anthropic.messages.create({ ...input, stream: true }))).toEqual(billing);
    expect(upstream.requests.length).toBe(before);
  });

  it("stops answers in the chat and runs of workflows with a message", async () => {
    const { server } = gateway;
    const answered = await server.ask("/api/ai/chat", { as: "member", json: { model: MODEL, messages } });
    expect(await answered.text()).toMatch(USED_UP);
    const path = `/chat/${answered.headers.get("x-conversation-id")}`;
    const said = await plainBrowser(server, "member").open(path);
    const [, answer] = said.document.querySelectorAll("article");
    expect(answer?.textContent).toMatch(/is used up\. .*An admin can raise it/s);
    // The built-in model takes no tokens of a provider.
    await (await said.submit("regenerate", { model: "quarterdeck-offline" })).follow();
    const again = await plainBrowser(server, "member").open(path);
    expect(again.document.querySelectorAll("article")[1]?.textContent).toContain("not a language model");
    const steps = [{ id: "ask", type: "ai_completion", config: { model: MODEL, prompt: "Hi" } }];
    const workflow = { name: "Ask", triggers: [{ id: "now", type: "manual", config: {} }], steps };
    const workflowId = await gateway.created("/api/workflows", workflow);
    const started = await server.ask(`/api/workflows/run/${workflowId}`, { as: "owner", json: {} });
    const { id } = (await started.json()) as Run;
    const read = async () => (await (await server.ask(`/api/runs/${id}`, { as: "owner" })).json()) as Run;
    await expect.poll(async () => (await read()).error ?? "").toMatch(USED_UP);
  });

  it("is added and given an exception by plain forms, whose errors keep what was typed", async () => {
    const { server } = gateway;
    const send = (form: Record<string, string>) =>
      server.ask("/usage/budgets?dialog=new", { as: "admin", form });
    const input = { intent: "add", target: "person:usr_member", unit: "money", period: "month", limit: "" };
    const refused = await send({ ...input, warnAt: "70" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('value="70"');
    expect((await send({ ...input, limit: "12.5", warnAt: "" })).status).toBe(303);
    const added = (await list()).find(({ scope }) => scope === "person");
    expect(added).toMatchObject({ limit: 12.5, warnAt: null, unpriced: "allow" });
    const granted = await send({ intent: "exception", id: added?.id ?? "", amount: "0.5", reason: "Launch" });
    expect(granted.status).toBe(303);
    const none = { ...input, target: "person:usr_viewer", unit: "tokens", limit: "0" };
    expect((await send(none)).status).toBe(303);
    const budgets = await plainBrowser(server, "admin").open("/usage/budgets");
    const row = () =>
      [...budgets.document.querySelectorAll("[data-row]")].find((one) => one.textContent?.includes("Viewer"));
    expect(row()?.textContent).toMatch(/Blocked.*Monthly · 0 of 0 tokens spent/);
    const blocked = (await list()).find(({ limit }) => limit === 0);
    const more = { intent: "exception", id: blocked?.id ?? "", amount: "500", reason: "Launch" };
    expect((await send(more)).status).toBe(303);
    const { text } = await plainBrowser(server, "admin").open("/usage/budgets");
    expect(text).toContain("0 of 500 tokens spent · includes an exception of 500 tokens");
    expect((await send({ intent: "delete", id: blocked?.id ?? "" })).status).toBe(303);
    const deleted = await send({ intent: "delete", id: added?.id ?? "" });
    expect([deleted.status, (await list()).map(({ scope }) => scope)]).toEqual([303, ["organisation"]]);
  });

  it("lets calls through again with an exception", async () => {
    const [budget] = await list();
    const granted = await gateway.server.ask(`/api/budgets/${budget?.id}/exception`, {
      as: "admin",
      json: { amount: 500, reason: "Launch" },
    });
    expect(await granted.json()).toMatchObject({ exception: 500, state: "ok" });
    await gateway.openai().chat.completions.create(input);
    expect(await figures()).toEqual([{ spent: 200, reserved: 0 }]);
  });

  it.each([
    ["an answer in one piece with its longest output", false, 50],
    ["a stream with its prompt", true, 1],
  ])("counts a call that its caller stops before it answers: %s", async (_, stream, least) => {
    const limit = { target: "organisation", unit: "tokens", period: "month", limit: 1_000_000 };
    const id = await gateway.created("/api/budgets", limit);
    const own = async () => (await list()).find((budget) => budget.id === id);
    const before = (await own())?.spent ?? 0;
    const model = `${MODEL}-stopped-${stream}`;
    await gateway.addProvider({ provider: "openai", baseUrl: `${upstream.origin}/v1`, models: [model] });
    isHanging = true;
    reached = new Promise((resolve) => {
      arrive = resolve;
    });
    const caller = new AbortController();
    const lost = gateway
      .openai()
      .chat.completions.create({ ...input, model, stream }, { signal: caller.signal, maxRetries: 0 });
    const ended = expect(lost).rejects.toThrow();
    await reached;
    caller.abort();
    await ended;
    await expect.poll(own).toMatchObject({ reserved: 0 });
    isHanging = false;
    const spent = ((await own())?.spent ?? 0) - before;
    expect(spent).toBeGreaterThanOrEqual(least);
    expect(spent).toBeLessThan(least + 50);
    const recorded = async () => {
      const answer = await gateway.server.ask("/api/usage?by=model", { as: "admin" });
      const { groups } = (await answer.json()) as {
        groups: { key: string; inputTokens: number; outputTokens: number; estimated: number }[];
      };
      return groups.filter(({ key }) => key === model);
    };
    await expect.poll(recorded).toMatchObject([{ estimated: 1 }]);
    const [{ inputTokens = 0, outputTokens = 0 } = {}] = await recorded();
    expect(inputTokens + outputTokens).toBe(spent);
    await gateway.server.ask(`/api/budgets/${id}`, { as: "admin", method: "DELETE" });
  });
});
