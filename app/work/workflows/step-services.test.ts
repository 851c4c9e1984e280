import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { IMAGE_LEFT_OUT } from "~/ai/models/beside-text.schema";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { addKey, keyValue, offerKeys } from "~/team/keys/keys.service.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { installPlugin } from "~/work/plugins/install.service.server";
import { startPlugins } from "~/work/plugins/plugin-tools.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { providers, workflowRuns, workflows } from "~db/schema";
import { AIMOCK_MODEL, startAimock } from "../../../tests/support/aimock";
import { openTestDatabase } from "../../../tests/support/database";
import { startImageServer } from "../../../tests/support/image-server";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import type { LLMock } from "../../../tests/support/sdks";
import { makeCollection } from "../../../tests/support/search-collection";
import { makeStepServices } from "./step-services.server";

let test: ReturnType<typeof openTestDatabase>;
let mock: LLMock;
let upstream: MockServer | undefined;
const stop = () => new AbortController();

beforeAll(async () => {
  mock = await startAimock();
});
afterAll(() => mock.stop());
beforeEach(() => {
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
});
afterEach(async () => {
  await upstream?.close();
  upstream = undefined;
  vi.unstubAllEnvs();
  test.close();
});
afterAll(closeWorkerPools);

function services(signal = stop().signal) {
  const onUsage = vi.fn();
  const links = { workflowId: "wf_1", runId: "run_1", stepId: "ask" };
  return {
    onUsage,
    ...makeStepServices({ actor: { ...test.actors.member, kind: "workflow" }, ...links, signal, onUsage }),
  };
}

function addProvider(): void {
  transaction((tx) =>
    tx
      .insert(providers)
      .values({
        id: "prv_mock",
        orgId: test.actors.member.orgId,
        type: "custom",
        displayName: "Mock",
        enabled: true,
        priority: 1,
        config: { baseUrl: `${mock.url}/v1` },
        models: [AIMOCK_MODEL],
        createdAt: 1,
        updatedAt: 1,
      })
      .run(),
  );
}

const usage = () =>
  rawDatabase()
    .prepare(
      "SELECT source, workflow_id, run_id, step_id, model, tool, outcome, error_code, user_id FROM usage_records",
    )
    .all();

/** A thousand tokens a day. */
function setBudget(target: string): void {
  const [scope = "", scopeId = ""] = target.split(":");
  const values = [
    `bud_${scope}`,
    test.actors.member.orgId,
    scope,
    scopeId,
    "tokens",
    "day",
    1000,
    null,
    "allow",
    1,
    1,
  ];
  rawDatabase()
    .prepare(`INSERT INTO budgets VALUES (${values.map(() => "?")})`)
    .run(values);
}

const spent = () => rawDatabase().prepare("SELECT spent FROM budget_periods").pluck().all();

describe("a step's model", () => {
  it("has its images kept with the run, and noted in the text where they can't be", async () => {
    upstream = await startImageServer();
    transaction((tx) =>
      tx
        .insert(providers)
        .values({
          id: "prv_paints",
          orgId: test.actors.member.orgId,
          type: "custom",
          displayName: "Painter",
          enabled: true,
          priority: 1,
          config: { baseUrl: `${upstream?.origin}/v1`, models: ["paints"] },
          models: [],
          createdAt: 1,
          updatedAt: 1,
        })
        .run(),
    );
    const ask = () => services().generate({ model: "paints", prompt: "A ship, please" });
    expect(await ask()).toMatchObject({ text: `Here it is.${IMAGE_LEFT_OUT}` });
    transaction((tx) => {
      const base = { orgId: test.actors.member.orgId, createdAt: 1, updatedAt: 1 };
      const workflow = { name: "Draw", description: "", enabled: true, version: 1, createdBy: "usr_owner" };
      tx.insert(workflows)
        .values({ ...base, ...workflow, id: "wf_1", runsAs: "usr_owner" })
        .run();
      const run = { workflowId: "wf_1", version: 1, triggerId: "t", triggerType: "manual" } as const;
      tx.insert(workflowRuns)
        .values({ ...base, ...run, id: "run_1", state: "running", payload: {} })
        .run();
    });
    const { text, files } = await ask();
    expect([text, files]).toMatchObject(["Here it is.", [{ name: "Image 1.png", mediaType: "image/png" }]]);
    const images = rawDatabase().prepare("SELECT images FROM usage_records").pluck().all();
    expect(images).toEqual([1, 1]);
  });

  it("answers, and the call is recorded with run and step", async () => {
    addProvider();
    const { generate, defaultModel, onUsage } = services();
    expect(await defaultModel()).toBe(AIMOCK_MODEL);
    updateUserSettings(test.actors.member, { preferredModel: OFFLINE_MODEL });
    expect(await defaultModel()).toBe(OFFLINE_MODEL);
    const answer = await generate({
      model: AIMOCK_MODEL,
      system: "Be kind.",
      prompt: "greet",
      temperature: 0.7,
    });
    expect(answer).toMatchObject({
      text: "Hello from the other end.",
      provider: "Mock",
      model: AIMOCK_MODEL,
    });
    expect(onUsage).toHaveBeenCalledOnce();
    expect(usage()).toEqual([
      {
        source: "workflow",
        workflow_id: "wf_1",
        run_id: "run_1",
        step_id: "ask",
        model: AIMOCK_MODEL,
        tool: null,
        outcome: "ok",
        error_code: null,
        user_id: test.actors.member.userId,
      },
    ]);
  });

  it("counts to its persona and to the token that started the run", async () => {
    addProvider();
    setBudget("persona:per_1");
    const actor = { ...test.actors.member, kind: "workflow" as const, tokenId: "tok_1" };
    const options = { workflowId: "wf_1", runId: "run_1", stepId: "ask", signal: stop().signal };
    const { generate } = makeStepServices({ actor, ...options, onUsage: vi.fn() });
    await generate({ model: AIMOCK_MODEL, persona: "per_1", prompt: "greet" });
    const links = "SELECT persona_id, token_id FROM usage_records";
    expect(rawDatabase().prepare(links).raw().all()).toEqual([["per_1", "tok_1"]]);
    expect(spent()).toEqual([expect.any(Number)]);
  });

  it("keeps the model's thoughts between tags to itself", async () => {
    addProvider();
    expect(await services().generate({ model: AIMOCK_MODEL, prompt: "mull" })).toMatchObject({
      text: "Hello.",
    });
  });

  it("fails with a message for users, and the attempt is recorded", async () => {
    addProvider();
    await expect(services().generate({ model: AIMOCK_MODEL, prompt: "refused" })).rejects.toMatchObject({
      code: "provider_key",
    });
    expect(usage()).toMatchObject([{ outcome: "error", error_code: "provider_key" }]);
  });

  it("is stopped with its step", async () => {
    addProvider();
    const controller = stop();
    const { generate } = services(controller.signal);
    const answering = generate({ model: AIMOCK_MODEL, prompt: "silence" });
    setTimeout(() => controller.abort(new Error("stopped")), 50);
    await expect(answering).rejects.toThrow("stopped");
    expect(usage()).toMatchObject([{ outcome: "stopped" }]);
  });

  it("is the built-in one if there is no provider", async () => {
    const { generate, defaultModel } = services();
    const answer = await generate({ model: await defaultModel(), prompt: "Hello" });
    expect(answer.text).toContain("not a language model");
  });
});

describe("a step's documents", () => {
  it("are those that everyone can see", async () => {
    const collection = makeCollection();
    collection.add({ name: "Open", chunks: ["Refunds take thirty days."] });
    collection.add({
      name: "Closed",
      chunks: ["Refunds are a secret."],
      row: { visibility: "named", createdBy: test.actors.member.userId },
    });
    const own = await searchDocuments(test.actors.member, SearchInput.parse({ query: "refunds" }));
    expect(own.results).toHaveLength(2);
    const found = await services().searchDocuments({ query: "refunds", topK: 5 });
    expect(found).toMatchObject({
      count: 1,
      results: [{ title: "Open", content: "Refunds take thirty days." }],
    });
    expect(found).toMatchObject({ text: "[1] Open\nRefunds take thirty days." });
  });

  it("are added for everyone, each text once", async () => {
    const { ingestDocument } = services();
    const added = await ingestDocument({ text: "A note of the run.", title: "Note" });
    expect(added).toMatchObject({ title: "Note", duplicate: false });
    expect(await ingestDocument({ text: "A note of the run.", title: "Note" })).toMatchObject({
      duplicate: true,
    });
    expect(rawDatabase().prepare("SELECT visibility FROM documents").pluck().all()).toEqual(["organisation"]);
    await expect(ingestDocument({ url: "ftp://example.com" })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a step's tools, requests and databases", () => {
  it("call a tool with the run and step, and fail with its error", async () => {
    const { callTool } = services();
    await callTool("kv.set", { key: "a", value: "b" });
    expect(await callTool("kv.get", { key: "a" })).toMatchObject({ value: "b" });
    await expect(callTool("kv.set", {})).rejects.toMatchObject({ code: "invalid" });
    await expect(callTool("gone", {})).rejects.toThrow('Tool "gone" not found.');
    expect(usage()).toMatchObject([
      { tool: "kv.set", source: "workflow", run_id: "run_1" },
      { tool: "kv.get", source: "workflow", run_id: "run_1" },
    ]);
  });

  it("pay the model calls of a plugin's tool as their own: for the workflow, its step and its member", async () => {
    addProvider();
    mock.onMessage("Ahoy", { content: "Hallo", usage: { prompt_tokens: 700, completion_tokens: 300 } });
    const { admin, member } = test.actors;
    const stopPlugins = startPlugins();
    try {
      installPlugin(admin, "document-translator");
      for (const target of ["workflow:wf_1", `person:${member.userId}`]) setBudget(target);
      const { callTool } = services();
      const translate = () => callTool("document-translator.translate", { text: "Ahoy", to: "German" });
      expect(await translate()).toMatchObject({ text: "Hallo" });
      expect(usage()).toMatchObject([
        { source: "workflow", workflow_id: "wf_1", run_id: "run_1", step_id: "ask", user_id: member.userId },
        { source: "workflow", tool: "document-translator.translate", user_id: "workflow:wf_1" },
      ]);
      expect(spent()).toEqual([1000, 1000]);
      await expect(translate()).rejects.toMatchObject({ code: "budget_exceeded" });
      expect(spent()).toEqual([1000, 1000]);
    } finally {
      await stopPlugins();
    }
  });

  it("request an address through the egress guard, within limits", async () => {
    upstream = await startMockServer((request, response) => {
      if (request.url === "/large") return void response.end("x".repeat(2000));
      response.writeHead(201, { "content-type": "text/plain", "set-cookie": "a=b" }).end("done");
    });
    const { request } = services();
    const call = { method: "POST", headers: { "X-Id": "7" }, body: "hi", maxBytes: 1000 };
    expect(await request({ ...call, url: `${upstream.origin}/x` })).toMatchObject({
      status: 201,
      body: "done",
      headers: expect.not.objectContaining({ "set-cookie": "a=b" }),
    });
    expect(upstream.requests[0]).toMatchObject({ method: "POST", body: "hi", headers: { "x-id": "7" } });
    await expect(request({ ...call, url: `${upstream.origin}/large` })).rejects.toMatchObject({
      code: "too_large",
    });
    await expect(request({ ...call, url: "http://10.0.0.1/" })).rejects.toMatchObject({
      code: "egress_refused",
    });
  });

  it("send a key only to its own address, and remove it from the response", async () => {
    upstream = await startMockServer((request, response) => {
      response.setHeader("x-echo", request.headers["x-api-key"] ?? "none");
      response.end(`You sent ${request.headers["x-api-key"]}`);
    });
    const { admin, member } = test.actors;
    vi.stubEnv("QUARTERDECK_KEY_CRM", "value-of-crm");
    vi.stubEnv("OPENAI_API_KEY", "value-of-openai");
    const { id } = addKey(admin, {
      provider: "other",
      alias: "QUARTERDECK_KEY_CRM",
      origin: upstream.origin,
    });
    const model = addKey(admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    const { request } = services();
    const send = (url: string, keyId = id) =>
      request({
        method: "GET",
        url,
        headers: { "X-API-Key": "typed" },
        maxBytes: 1000,
        key: { id: keyId, header: "x-api-key", prefix: "Token " },
      });
    expect(await send(`${upstream.origin}/contacts`)).toMatchObject({
      body: "You sent Token [key]",
      headers: { "x-echo": "Token [key]" },
    });
    expect(upstream.requests[0]?.headers["x-api-key"]).toBe("Token value-of-crm");
    await expect(send("https://elsewhere.example/")).rejects.toThrow(`only be sent to ${upstream.origin}`);
    await expect(send("https://api.openai.com/v1/files", model.id)).rejects.toThrow("no key reference");
    expect(upstream.requests).toHaveLength(1);
    // Members choose it by name, and see no more of it.
    expect(offerKeys(member, "other")).toEqual([
      { id, alias: "QUARTERDECK_KEY_CRM", origins: [upstream.origin] },
    ]);
    expect(() => offerKeys(test.actors.viewer, "other")).toThrow();
  });

  it("query only the workspace or the database of a key reference", async () => {
    const query = { sql: "SELECT 1 AS one", parameters: [], write: false, maxRows: 10 };
    const { queryDatabase } = services();
    expect(await queryDatabase({ connection: "", ...query })).toMatchObject({ rows: [{ one: 1 }] });
    await expect(queryDatabase({ connection: "key_gone", ...query })).rejects.toMatchObject({
      code: "provider_key",
    });
    const { admin } = test.actors;
    const other = addKey(admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    vi.stubEnv("OPENAI_API_KEY", "postgres://not.for.this");
    await expect(queryDatabase({ connection: other.id, ...query })).rejects.toMatchObject({
      code: "provider_key",
    });
    const key = addKey(admin, { provider: "database", alias: "QUARTERDECK_KEY_DB" });
    await expect(queryDatabase({ connection: key.id, ...query })).rejects.toThrow(
      "QUARTERDECK_KEY_DB is not set",
    );
    vi.stubEnv("QUARTERDECK_KEY_DB", "postgres://a:b@169.254.169.254/x");
    expect(keyValue(admin.orgId, key.id, "database")).toContain("postgres://");
    await expect(queryDatabase({ connection: key.id, ...query })).rejects.toMatchObject({
      code: "egress_refused",
    });
  });
});
