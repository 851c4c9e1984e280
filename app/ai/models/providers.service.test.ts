import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listAudit } from "~/platform/audit/audit.service.server";
import { addKey, listKeys, offerVariables } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { listProviderStatus } from "./health.service.server";
import { ProviderInput, ProviderPatch } from "./models.schema";
import {
  createProvider,
  deleteProvider,
  listProviderChoices,
  listProviders,
  refreshModels,
  testProvider,
  updateProvider,
} from "./providers.service.server";
import { healthOf } from "./router/health.server";

describe("providers", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let server: Server;
  let baseUrl: string;
  let answer: { status: number; body: string; type?: string };
  const seen: { path: string | undefined; key: string | undefined }[] = [];

  beforeEach(async () => {
    test = openTestDatabase();
    answer = {
      status: 200,
      body: JSON.stringify({ data: [{ id: "alpha" }, { id: "beta" }, { id: "alpha" }] }),
    };
    seen.length = 0;
    server = createServer((request, response) => {
      seen.push({ path: request.url, key: request.headers.authorization });
      response
        .writeHead(answer.status, { "content-type": answer.type ?? "application/json" })
        .end(answer.body);
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    test.close();
  });
  const input = (config: ProviderInput["config"] = { baseUrl }): ProviderInput => ({
    provider: "custom",
    displayName: "Lab",
    enabled: true,
    config,
  });

  it("lists a new provider's models", async () => {
    const made = await createProvider(test.actors.admin, input());
    expect(made).toMatchObject({
      provider: "custom",
      displayName: "Lab",
      enabled: true,
      models: ["alpha", "beta"],
    });
    expect(seen).toEqual([{ path: "/v1/models", key: undefined }]);
    expect(listProviders(test.actors.admin)).toEqual([made]);
    expect(listAudit(test.actors.admin, { limit: 5 }).entries.map((entry) => entry.action)).toEqual([
      "provider.updated",
      "provider.created",
    ]);
  });

  const audited = () => listAudit(test.actors.admin, { limit: 9 }).entries.map(({ action }) => action);

  it("is tested before it is saved, with a key reference that is made on the way", async () => {
    vi.stubEnv("QUARTERDECK_KEY_LAB", "value-of-lab");
    const { admin } = test.actors;
    expect(offerVariables(admin)).toEqual(["QUARTERDECK_KEY_LAB"]);
    const given = input({ baseUrl, keyId: "env:QUARTERDECK_KEY_LAB" });
    const made = await createProvider(admin, given, { isTested: true });
    const [key] = listKeys(admin);
    expect(key).toMatchObject({ alias: "QUARTERDECK_KEY_LAB", origins: [new URL(baseUrl).origin] });
    expect(made).toMatchObject({ models: ["alpha", "beta"], config: { keyId: key?.id } });
    expect(seen).toEqual([{ path: "/v1/models", key: "Bearer value-of-lab" }]);
    expect(audited()).toEqual(["provider.created", "api_key.created"]);
    expect(offerVariables(admin)).toEqual([]);
    expect(listProviderStatus(admin)).toMatchObject([{ status: "online", reason: null }]);
  });

  it.each([
    ["doesn't answer", { status: 401, body: "" }, /rejected the key/],
    ["lists nothing", { status: 200, body: '{"data":[]}' }, /lists no models/],
  ])("isn't saved where its test %s", async (_, broken, reason) => {
    answer = broken;
    const { admin } = test.actors;
    await expect(createProvider(admin, input(), { isTested: true })).rejects.toMatchObject({
      message: expect.stringMatching(reason),
      fields: { test: [expect.stringMatching(reason)] },
    });
    expect([listProviders(admin), listKeys(admin), audited()]).toEqual([[], [], []]);
    const saved = await createProvider(admin, input());
    expect(saved.problem).toMatch(reason);
    expect(await testProvider(admin, saved.id)).toMatchObject({ ok: false });
  });

  it("references the usual key of its type, and says which variable is missing", async () => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    const { admin } = test.actors;
    const given = { ...input({}), provider: "openai", displayName: "OpenAI" };
    await expect(createProvider(admin, given, { isTested: true })).rejects.toThrow(
      /OPENAI_API_KEY is not set/,
    );
    const made = await createProvider(admin, given);
    expect(made.problem).toContain("OPENAI_API_KEY is not set");
    expect(listKeys(admin)).toMatchObject([{ alias: "OPENAI_API_KEY", present: false, source: "reference" }]);
    const [status] = listProviderStatus(admin);
    expect(status).toMatchObject({ status: "offline", reason: made.problem });
    const { key } = listProviderChoices(admin).find(({ value }) => value === "openai") ?? {};
    expect(key).toEqual({ alias: "OPENAI_API_KEY", present: false, host: "api.openai.com" });
  });

  it("takes a variable in place of a reference when it is changed", async () => {
    vi.stubEnv("QUARTERDECK_KEY_LAB", "value-of-lab");
    const { admin } = test.actors;
    const { id } = await createProvider(admin, input());
    const changed = await updateProvider(admin, id, { config: { keyId: "env:QUARTERDECK_KEY_LAB" } });
    expect(changed.config.keyId).toBe(listKeys(admin)[0]?.id);
    expect(seen.at(-1)?.key).toBe("Bearer value-of-lab");
    const other = { config: { keyId: "env:SESSION_SECRET" } };
    await expect(updateProvider(admin, id, other)).rejects.toThrow(/This name isn't allowed/);
  });

  it("sends the key that is bound to the provider's address", async () => {
    vi.stubEnv("QUARTERDECK_KEY_LAB", "value-of-lab");
    addKey(test.actors.admin, {
      provider: "custom",
      alias: "QUARTERDECK_KEY_LAB",
      origin: new URL(baseUrl).origin,
    });
    await createProvider(test.actors.admin, input());
    expect(seen).toEqual([{ path: "/v1/models", key: "Bearer value-of-lab" }]);
  });

  it("keeps an unreachable provider, and its test reports the reason", async () => {
    answer = { status: 200, body: "<html>", type: "text/html" };
    const { id, models } = await createProvider(test.actors.admin, input());
    expect(models).toEqual([]);
    expect(healthOf(id).lastFailure?.message).toContain("web page");
    expect(await testProvider(test.actors.admin, id)).toMatchObject({
      ok: false,
      message: expect.stringContaining("web page"),
      latencyMs: expect.any(Number),
    });
    answer = { status: 401, body: '{"error":{"message":"bad key sk-secret"}}' };
    expect((await testProvider(test.actors.admin, id)).message).toMatch(/^Lab rejected the key/);
    answer = { status: 200, body: '{"list":[]}' };
    await expect(refreshModels(test.actors.admin, id)).rejects.toThrow("an invalid response");
    answer = { status: 200, body: '{"data":[{"id":"gamma"}]}' };
    expect(await testProvider(test.actors.admin, id)).toMatchObject({ ok: true, models: 1 });
    expect(healthOf(id).lastProbe).toMatchObject({ ms: expect.any(Number) });
    expect(listProviders(test.actors.admin)[0]?.models).toEqual([]);
    expect((await refreshModels(test.actors.admin, id)).models).toEqual(["gamma"]);
  });

  it("changes one setting at a time", async () => {
    const { id } = await createProvider(test.actors.admin, { ...input(), enabled: false });
    expect(seen).toEqual([]);
    const patch = (change: unknown) => updateProvider(test.actors.admin, id, ProviderPatch.parse(change));
    expect(await patch({ config: { models: ["mine"] } })).toMatchObject({
      config: { baseUrl, models: ["mine"] },
    });
    expect(await patch({ displayName: "Lab 2" })).toMatchObject({
      displayName: "Lab 2",
      enabled: false,
      models: [],
    });
    expect(await patch({ enabled: true })).toMatchObject({ enabled: true, models: ["alpha", "beta"] });
    expect(await patch({ config: { models: null } })).toMatchObject({ config: { baseUrl } });
    deleteProvider(test.actors.admin, id);
    expect(listProviders(test.actors.admin)).toEqual([]);
    await expect(patch({ enabled: false })).rejects.toMatchObject({ code: "not_found" });
    const { entries } = listAudit(test.actors.admin, { limit: 20 });
    expect(entries.filter(({ action }) => action === "provider.deleted")).toMatchObject([
      { resource: `provider:${id}`, details: { provider: "custom", displayName: "Lab 2" } },
    ]);
  });

  it.each([
    ["baseUrl", {}],
    ["baseUrl", { baseUrl: "http://169.254.169.254/latest" }],
    ["baseUrl", { baseUrl: "http://[::ffff:a9fe:a9fe]/" }],
    ["baseUrl", { baseUrl: "http://2852039166/" }],
    ["baseUrl", { baseUrl: "http://metadata.google.internal/v1" }],
    ["keyId", { baseUrl: "https://lab.example", keyId: "key_nope" }],
    ["api", { baseUrl: "https://lab.example", api: "chat" as const }],
  ])("refuses a wrong %s", async (field, config) => {
    await expect(createProvider(test.actors.admin, input(config))).rejects.toMatchObject({
      code: "invalid",
      fields: { [`config.${field}`]: [expect.any(String)] },
    });
  });

  it("parses input strictly", () => {
    const wrong = [
      { baseUrl: "ftp://x" },
      { baseUrl: "https://user:pw@lab.example" },
      { baseUrl: "https://lab.example/?key=1" },
      { apiKey: "sk-raw" },
      { models: [""] },
    ];
    for (const config of wrong) expect(ProviderInput.safeParse({ ...input(), config }).success).toBe(false);
    const missing = ProviderInput.safeParse({ provider: "", displayName: " " });
    expect(missing.error?.issues.map((issue) => issue.message)).toEqual([
      "Provider type and display name are required",
      "Provider type and display name are required",
    ]);
    expect(
      ProviderInput.parse({ ...input(), config: { baseUrl: " https://lab.example/v1/ ", keyId: "" } }).config,
    ).toEqual({ baseUrl: "https://lab.example/v1" });
  });

  it.each([
    ["http://127.0.0.1:9/v1", undefined, "chat"],
    ["http://127.0.0.1:9/v1", "responses", "responses"],
    ["https://team.openai.azure.com.invalid/openai/v1", undefined, "chat"],
  ] as const)("of OpenAI's type at %s with the API %s has %s", async (url, api, stored) => {
    const given = { ...input({ baseUrl: url, ...(api && { api }) }), provider: "openai", enabled: false };
    expect((await createProvider(test.actors.admin, given)).config.api).toBe(stored);
  });

  it.each([undefined, "https://team.openai.azure.com/openai/v1", "https://eu.api.openai.com/v1"])(
    "of OpenAI's type at %s has its newer API",
    async (url) => {
      const given = { ...input(url ? { baseUrl: url } : {}), provider: "openai", enabled: false };
      expect((await createProvider(test.actors.admin, given)).config).not.toHaveProperty("api");
    },
  );

  it("requires an admin", async () => {
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => listProviders(test.actors.member)).toThrow(forbidden);
    await expect(createProvider(test.actors.member, input())).rejects.toThrow(forbidden);
    await expect(testProvider(test.actors.member, "prv_x")).rejects.toThrow(forbidden);
  });
});
