import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import type { PatchOf } from "~/platform/settings/groups/index.schema";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { modelSettings, providers } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import type { ChatModelCall } from "../language-model";
import type { ModelRouting } from "../models.schema";
import type { Wait } from "./attempts.server";
import { healthOf } from "./health.server";
import { assertModelAvailable } from "./model-access.server";
import { newRouteRecord, openModel, routeCall } from "./open-model.server";

type Say = (attempt: number) => { status?: number; headers?: Record<string, string>; body: string | Buffer };

const chunk = (choice: object) =>
  `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, ...choice }] })}\n\n`;
const answer = (text: string) =>
  `${chunk({ delta: { role: "assistant", content: text } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;
const EVENTS = { "content-type": "text/event-stream" };
const good: Say = () => ({ headers: EVENTS, body: answer("Hello.") });
const status =
  (code: number, message = "no", headers: Record<string, string> = {}): Say =>
  () => ({ status: code, headers, body: JSON.stringify({ error: { message } }) });

/** More than any answer may have, packed. */
const bomb = gzipSync(Buffer.alloc(101_000_000, `:${" ".repeat(60_000)}\n`));

describe("the router", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let actor: Actor;
  let order = 0;
  const open: MockServer[] = [];
  beforeEach(() => {
    test = openTestDatabase();
    actor = test.actors.member;
    vi.spyOn(Math, "random").mockReturnValue(0);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((upstream) => upstream.close()));
    test.close();
  });

  /** A provider of a model `m` whose mock server plays these attempts. */
  async function provider(
    name: string,
    say: Say,
    config: Record<string, unknown> = {},
  ): Promise<{ id: string; requestCount: () => number; bodies: () => unknown[] }> {
    const upstream = await startMockServer((_, response) => {
      const { status = 200, headers = {}, body } = say(upstream.requests.length);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    });
    open.push(upstream);
    const id = `prv_${++order}_${name}`;
    const values = {
      id,
      orgId: actor.orgId,
      type: "custom",
      displayName: name,
      enabled: true,
      priority: order,
    };
    transaction((tx) =>
      tx
        .insert(providers)
        .values({
          ...values,
          config: { baseUrl: `${upstream.origin}/v1`, ...config },
          models: ["m"],
          createdAt: order,
          updatedAt: order,
        })
        .run(),
    );
    return {
      id,
      requestCount: () => upstream.requests.length,
      bodies: () => upstream.requests.map(({ body }) => parseWellFormed(body)),
    };
  }

  function route(modelId: string, routing: Partial<ModelRouting>): void {
    const at = { createdAt: 1, updatedAt: 1 };
    transaction((tx) =>
      tx
        .insert(modelSettings)
        .values({ orgId: actor.orgId, modelId, routing, ...at })
        .run(),
    );
  }

  function limits(ai: PatchOf<"ai">): void {
    updateSettings(test.actors.admin, "ai", ai);
  }

  async function ask(model = "m", signal?: AbortSignal, onWait?: (wait: Wait) => void) {
    const record = newRouteRecord();
    try {
      const { stream, target } = await openModel({ actor, model, signal, onWait }, record, {
        prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      });
      let text = "";
      let error: unknown;
      for (let part = await stream.read(); part; part = await stream.read()) {
        if (part.type === "text-delta") text += part.delta;
        if (part.type === "error") error = part.error;
      }
      return { by: target.displayName, text, error, record };
    } catch (error) {
      return { error, record };
    }
  }
  const outcomes = (record: ReturnType<typeof newRouteRecord>) =>
    record.attempts.map(({ provider, outcome }) => `${provider} ${outcome}`);

  it("calls the first provider by priority and records the reason", async () => {
    await provider("A", good);
    const second = await provider("B", good);
    const { by, text, record } = await ask();
    expect([by, text]).toEqual(["A", "Hello."]);
    expect(record).toMatchObject({ policy: "priority", reason: "First by priority of 2 providers." });
    expect(second.requestCount()).toBe(0);
  });

  it("sends the organization's length and temperature where a call names none", async () => {
    const upstream = await provider("A", good);
    await ask();
    limits({ maxTokens: 512, temperature: 0.1 });
    await ask();
    expect(upstream.bodies()).toMatchObject([
      { max_tokens: 4096, temperature: 0.7 },
      { max_tokens: 512, temperature: 0.1 },
    ]);
  });

  it("sends no temperature to a family of models that refuses any", async () => {
    const upstream = await provider("A", good, { models: ["gpt-5-mini"] });
    await ask("gpt-5-mini");
    expect(upstream.bodies()).toEqual([expect.not.objectContaining({ temperature: expect.anything() })]);
  });

  it("reads an answer whose members are null", async () => {
    const body = readFileSync("tests/fixtures/streams/choices-null.sse");
    await provider("A", () => ({ headers: { "content-type": "text/event-stream" }, body }));
    expect(await ask()).toMatchObject({ by: "A", text: "Hello", error: undefined });
  });

  it.each([
    ["a server's trouble", status(503)],
    ["a refused key", status(401)],
    ["a used-up quota", status(429, "You exceeded your current quota")],
    ["a model it doesn't have", status(404, "model_not_found")],
    [
      "a thread that it doesn't keep",
      () => ({ status: 400, body: JSON.stringify({ error: { code: "previous_response_not_found" } }) }),
    ],
    ["a web page", () => ({ headers: { "content-type": "text/html" }, body: "<h1>Hi</h1>" })],
    [
      "an end before the first token",
      () => ({
        headers: { "content-type": "text/event-stream" },
        body: chunk({ delta: { role: "assistant" } }),
      }),
    ],
    [
      "an error in the stream before the first token",
      () => ({
        headers: { "content-type": "text/event-stream" },
        body: `data: {"error":{"message":"overloaded"}}\n\n`,
      }),
    ],
    [
      "a gzip bomb",
      () => ({
        headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
        body: bomb,
      }),
    ],
  ] satisfies [string, Say][])("goes on to the next provider after %s", async (_, say) => {
    await provider("A", say);
    await provider("B", good);
    const { by, text, record } = await ask();
    expect([by, text]).toEqual(["B", "Hello."]);
    expect(outcomes(record)).toEqual(["A failed", "B answered"]);
    expect(record.reason).toBe("Fell back to B after A failed.");
    expect(record.attempts[0]?.reason).toContain("A");
  });

  it("sends no prompt to a server that would cut it off without a word", async () => {
    const local = await provider("Ollama", good);
    transaction((tx) => tx.update(providers).set({ type: "local-ollama" }).run());
    await provider("B", good);
    const record = newRouteRecord();
    const call = (length: number): ChatModelCall => ({
      prompt: [{ role: "user", content: [{ type: "text", text: "word ".repeat(length) }] }],
    });
    const facts = () => ({ contextLength: 4096, reasons: false });
    const long = await openModel({ actor, model: "m" }, record, call(4000), facts);
    expect(outcomes(record)).toEqual(["Ollama failed", "B answered"]);
    expect(record.attempts[0]).toMatchObject({
      code: "invalid",
      reason:
        'This takes about 5,000 tokens, more than the 4,096 that Ollama reads with "m". Shorten it, or set a longer context at the server and in the model\'s settings.',
    });
    expect(local.requestCount()).toBe(0);
    const short = await openModel({ actor, model: "m" }, newRouteRecord(), call(3000), facts);
    expect(short.target.displayName).toBe("Ollama");
    for (const { stream } of [long, short]) stream.cancel();
  });

  it("doesn't fall back on the caller's error", async () => {
    await provider("A", status(400, "temperature is too high"));
    const second = await provider("B", good);
    const { error } = await ask();
    expect(error).toMatchObject({ code: "provider_rejected" });
    expect(second.requestCount()).toBe(0);
  });

  it("calls only the first provider if fallback is off", async () => {
    limits({ enableFallback: false, retryAttempts: 0 });
    await provider("A", status(503));
    const second = await provider("B", good);
    expect((await ask()).error).toMatchObject({ code: "provider_unavailable" });
    expect(second.requestCount()).toBe(0);
  });

  it("retries transient failures after all providers failed, up to the limit", async () => {
    limits({ retryAttempts: 1 });
    const first = await provider("A", (attempt) => (attempt > 1 ? good(1) : status(500)(1)));
    const { by, record } = await ask();
    expect(by).toBe("A");
    expect(outcomes(record)).toEqual(["A failed", "A answered"]);
    expect(first.requestCount()).toBe(2);
  });

  it("pauses a provider for ten minutes at most, whatever it asks for", async () => {
    limits({ retryAttempts: 0 });
    const greedy = await provider("A", status(429, "slow down", { "retry-after": "86400" }));
    await ask();
    expect(healthOf(greedy.id).currentPause()?.remainingMs).toBeLessThanOrEqual(600_000);
  });

  it("leaves a busy provider's queue for a fallback model after the usual time", async () => {
    limits({ timeout: 100 });
    await provider("A", good, { maxConcurrent: 1 });
    route("m", { fallbacks: ["quarterdeck-offline"] });
    const call = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }] };
    const { stream } = await openModel({ actor, model: "m" }, newRouteRecord(), call);
    const { by, record } = await ask();
    expect(by).toBe("Built-in");
    expect(record.attempts[0]?.reason).toContain("waited 0 seconds");
    stream.cancel();
  });

  it("never retries a refused key or a bad request", async () => {
    const refused = await provider("A", status(401));
    expect((await ask()).error).toMatchObject({ code: "provider_key" });
    expect(refused.requestCount()).toBe(1);
  });

  it("waits as long as Retry-After asks, unless that is too long", async () => {
    const patient = await provider("A", (attempt) =>
      attempt > 1 ? good(1) : status(429, "slow down", { "retry-after": "0.2" })(1),
    );
    const { by, record } = await ask();
    expect(by).toBe("A");
    // Before that time it would be skipped, which is an attempt of its own.
    expect(outcomes(record)).toEqual(["A failed", "A answered"]);
    expect(patient.requestCount()).toBe(2);
    const long = await provider("L", status(429, "slow down", { "retry-after": "3600" }));
    transaction((tx) => tx.update(providers).set({ models: [] }).run());
    transaction((tx) =>
      tx
        .update(providers)
        .set({ models: ["n"] })
        .run(),
    );
    route("n", { targets: [{ providerId: long.id, model: "n" }] });
    const { error } = await ask("n");
    expect(error).toBeUndefined();
    expect(long.requestCount()).toBe(0);
  });

  it("waits for a server that loads its model, whatever the number of retries, as one attempt", async () => {
    limits({ retryAttempts: 0 });
    await provider("A", (attempt) => (attempt < 2 ? status(503, "Loading model") : good)(attempt));
    const waits: Wait[] = [];
    const { text, record } = await ask("m", undefined, (wait) => waits.push(wait));
    expect(text).toBe("Hello.");
    expect(outcomes(record)).toEqual(["A failed", "A answered"]);
    expect(waits).toEqual([
      { provider: "A", isLoading: false },
      { provider: "A", isLoading: true },
    ]);
  });

  it.each([
    ["has the model in memory", { models: [{ name: "m:latest" }] }, [false]],
    ["must load it first", { models: [{ name: "other" }] }, [false, true]],
    ["doesn't say", {}, [false]],
  ])("asks an Ollama that %s", async (_, running, loading) => {
    let reply = () => {};
    const upstream = await startMockServer(({ url }, response) => {
      if (url === "/api/ps") {
        response.end(JSON.stringify(running));
        // Its answer comes once this one has been read.
        setTimeout(() => reply(), 50);
      } else reply = () => response.writeHead(200, EVENTS).end(answer("Hi."));
    });
    open.push(upstream);
    const { id } = await provider("A", good);
    transaction((tx) =>
      tx
        .update(providers)
        .set({ type: "local-ollama", config: { baseUrl: upstream.origin } })
        .where(eq(providers.id, id))
        .run(),
    );
    const waits: Wait[] = [];
    expect((await ask("m", undefined, (wait) => waits.push(wait))).text).toBe("Hi.");
    expect(waits).toEqual(loading.map((isLoading) => ({ provider: "A", isLoading })));
  });

  it("continues to the fallback models, the built-in one among them", async () => {
    await provider("A", status(401));
    route("m", { fallbacks: ["gone", "quarterdeck-offline"] });
    const { by, record } = await ask();
    expect(by).toBe("Built-in");
    expect(record.reason).toContain('Every provider of "m" failed');
    expect(outcomes(record)).toEqual(["A failed", "Built-in answered"]);
  });

  it("pauses a failing provider and returns to it", async () => {
    limits({ retryAttempts: 0 });
    let healthy = false;
    const only = await provider("A", (attempt) => (healthy ? good(attempt) : status(500)(attempt)));
    for (let call = 0; call < 5; call++)
      expect((await ask()).error).toMatchObject({ code: "provider_unavailable" });
    expect(only.requestCount()).toBe(5);
    const { error, record } = await ask();
    expect(error).toMatchObject({
      message: expect.stringContaining("is failing"),
      retryAfter: expect.any(Number),
    });
    expect(outcomes(record)).toEqual(["A skipped"]);
    expect(only.requestCount()).toBe(5);
    healthy = true;
    // As after any change of the configuration.
    healthOf(only.id).resetOnChange("changed");
    expect((await ask()).text).toBe("Hello.");
    expect(healthOf(only.id).currentPause()).toBeUndefined();
  });

  it("keeps the text of a stream that breaks, without a fallback", async () => {
    const half = `${chunk({ delta: { role: "assistant", content: "Hel" } })}data: {"choices":[{"de\n\n`;
    await provider("A", () => ({ headers: { "content-type": "text/event-stream" }, body: half }));
    const second = await provider("B", good);
    const { text, error } = await ask();
    expect(text).toBe("Hel");
    expect(error).toBeInstanceOf(AppError);
    expect(second.requestCount()).toBe(0);
    expect(healthOf([...db().select().from(providers).all()][0]?.id ?? "").lastFailure?.message).toContain(
      "A",
    );
  });

  it("serves one id by providers that know it under ids of their own", async () => {
    const first = await provider("A", status(500));
    const second = await provider("B", good);
    route("team", {
      policy: "least-loaded",
      targets: [
        { providerId: first.id, model: "big" },
        { providerId: second.id, model: "m" },
      ],
    });
    const { by, record } = await ask("team");
    expect(by).toBe("B");
    expect(record.policy).toBe("least-loaded");
    expect(record.attempts.map(({ model }) => model)).toEqual(["big", "m"]);
  });

  it("prefers a free provider, and queues without one", async () => {
    const first = await provider("A", good, { maxConcurrent: 1 });
    const second = await provider("B", good);
    const record = newRouteRecord();
    const call = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }] };
    const { stream } = await openModel({ actor, model: "m" }, record, call);
    expect((await ask()).by).toBe("B");
    stream.cancel();
    expect((await ask()).by).toBe("A");
    expect([first.requestCount(), second.requestCount()]).toEqual([2, 1]);
    expect(healthOf(first.id).active).toBe(0);
  });

  it("prefers the cheapest, and the fastest as measured", async () => {
    const slow = await provider("A", good);
    const quick = await provider("B", good);
    healthOf(slow.id).measure("m", 900);
    healthOf(quick.id).measure("m", 100);
    route("m", { policy: "fastest" });
    const { by, record } = await ask();
    expect(by).toBe("B");
    expect(record.reason).toBe("Fastest of 2 providers: 100 ms to first token recently.");
  });

  it("limits a token with a model list to its models, also in fallbacks", async () => {
    await provider("A", status(401));
    route("m", { fallbacks: ["quarterdeck-offline"] });
    actor = { ...actor, gateway: { models: ["m", "quarterdeck-offline"], requestsPerMinute: null } };
    expect((await ask()).by).toBe("Built-in");
    actor = { ...actor, gateway: { models: ["m"], requestsPerMinute: null } };
    expect((await ask()).error).toMatchObject({ code: "provider_key" });
    expect(() => assertModelAvailable(actor, "quarterdeck-offline")).toThrow("isn't allowed to call");
    expect(() => assertModelAvailable(actor, "m")).not.toThrow();
  });

  it("says of a model of another kind that it is one, and not that nobody has it", async () => {
    await provider("A", good, { models: ["m", "text-embedding-3-small"] });
    expect(() => assertModelAvailable(actor, "text-embedding-3-small")).toThrow("of another kind");
    expect(() => assertModelAvailable(actor, "n")).toThrow("No provider offers the model");
  });

  it("skips an unsuitable provider without recording a failure", async () => {
    const first = await provider("A", good);
    await provider("B", good);
    const record = newRouteRecord();
    const { value, end } = await routeCall({ actor, model: "m" }, record, async ({ displayName }) => {
      if (displayName === "A") throw new AppError("invalid", "It takes no such option.");
      return displayName;
    });
    end({ outcome: "ok" });
    expect(value).toBe("B");
    expect(outcomes(record)).toEqual(["A failed", "B answered"]);
    expect(healthOf(first.id).results).toEqual({ ok: 0, failed: 0 });
  });

  it("waits for an answer in one piece as long as it takes", async () => {
    limits({ timeout: 100 });
    await provider("A", good);
    open.at(-1)?.close();
    const late = await startMockServer((_, response) => setTimeout(() => response.end("{}"), 300));
    open.push(late);
    transaction((tx) =>
      tx
        .update(providers)
        .set({ config: { baseUrl: late.origin, firstByteTimeout: 100 } })
        .run(),
    );
    const send = (answer: "streaming" | "non-streaming") =>
      routeCall({ actor, model: "m" }, newRouteRecord(), async (target) => {
        const response = await target.send("/x", { body: "{}" }, answer);
        return response.text();
      });
    await expect(send("streaming")).rejects.toMatchObject({ code: "provider_timeout" });
    expect((await send("non-streaming")).value).toBe("{}");
  });

  it("aborts the attempt when the caller leaves", async () => {
    const controller = new AbortController();
    await provider("A", () => {
      controller.abort();
      return status(500)(1);
    });
    const { error } = await ask("m", controller.signal);
    expect(error).toMatchObject({ name: "AbortError" });
  });
});
