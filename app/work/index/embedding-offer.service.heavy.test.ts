import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProvider, moveProvider, updateProvider } from "~/ai/models/providers.service.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { modelSettings } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { addText } from "../../../tests/support/knowledge";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { readConsent } from "./consent/consent.server";
import { decideOnOffer, readEmbeddingOffer } from "./embedding-offer.service.server";
import { markAllForCheck, runBuilder } from "./generations/builder.server";
import { indexVersion } from "./generations/index-version.server";
import { changeSettings } from "./rag-settings.service.server";
import { ragStatus } from "./rag-status.service.server";

const SMALL = "text-embedding-3-small";

let test: ReturnType<typeof openTestDatabase>;
let upstream: MockServer;
let other: MockServer;

const embeds = () =>
  startMockServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (!request.url?.endsWith("/embeddings")) return void response.end(JSON.stringify({ data: [] }));
    const { input } = JSON.parse(request.text) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: [text.length, 1, 2] }));
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 5, total_tokens: 5 } }));
  });

beforeEach(async () => {
  [upstream, other] = [await embeds(), await embeds()];
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
  markAllForCheck();
  process.env.QUARTERDECK_KEY_EMBED = "sk-secret";
  await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
  await indexVersion({ orgId: ORG_ID, ...addText("Secrets", 3, { visibility: "named" }) });
});
afterEach(async () => {
  delete process.env.QUARTERDECK_KEY_EMBED;
  test.close();
  await Promise.all([upstream.close(), other.close()]);
});
afterAll(closeWorkerPools);

const { signal } = new AbortController();
const embedded = ({ requests }: MockServer) => requests.filter(({ url }) => url.endsWith("/embeddings"));
const addProvider = (name: string, to: MockServer, type: "custom" | "openai" = "custom") =>
  createProvider(test.actors.admin, {
    provider: type,
    displayName: name,
    enabled: true,
    config: { baseUrl: `${to.origin}/v1`, models: [SMALL] },
  });
const offer = () => readEmbeddingOffer(test.actors.admin).offer;
const decide = (decision: "rebuild" | "postpone") => {
  const shown = offer();
  if (!shown) throw new Error("nothing is offered");
  return decideOnOffer(test.actors.admin, { ...shown, decision });
};
/** Two passes: the second sees what the first started or retired. */
const build = async () => {
  await runBuilder(signal);
  await runBuilder(signal);
};
const search = (query: string) => searchDocuments(test.actors.member, SearchInput.parse({ query }), signal);
const states = () =>
  ragStatus(test.actors.admin).indexes.map(({ state, embedder }) => `${state} ${embedder?.kind}`);

describe("documents", () => {
  it("stay on this machine, regardless of providers, keys and models, until an admin agrees", async () => {
    const { actors } = test;
    addKey(actors.owner, { provider: "openai", alias: "QUARTERDECK_KEY_EMBED", origin: upstream.origin });
    const first = await addProvider("Main", upstream, "openai");
    await build();
    const second = await addProvider("Second", other);
    await updateProvider(actors.admin, second.id, { displayName: "Renamed" });
    await updateProvider(actors.admin, second.id, { enabled: false });
    await updateProvider(actors.admin, second.id, { enabled: true });
    moveProvider(actors.admin, second.id, "up");
    await build();
    await indexVersion({ orgId: ORG_ID, ...addText("Trees", 3) });
    await search("ships number 3");
    expect([...embedded(upstream), ...embedded(other)]).toEqual([]);
    expect(states()).toEqual(["serving lexical"]);
    moveProvider(actors.admin, first.id, "up");
    decide("rebuild");
    await build();
    expect(states()).toEqual(["serving model"]);
    const sent = embedded(upstream)
      .map(({ body }) => body)
      .join();
    for (const name of ["Ships number 3", "Secrets number 1", "Trees number 2"]) expect(sent).toContain(name);
    expect(embedded(other)).toEqual([]);
  });

  it("aren't sent to another host of the provider or another provider of the model", async () => {
    const { id } = await addProvider("Main", upstream);
    decide("rebuild");
    await build();
    expect(states()).toEqual(["serving model"]);
    const before = embedded(upstream).length;
    await addProvider("Spare", other);
    await updateProvider(test.actors.admin, id, {
      config: { baseUrl: `${other.origin}/v1`, models: [SMALL] },
    });
    const found = await search("ships number 4");
    expect(found.results.length).toBeGreaterThan(0);
    await indexVersion({ orgId: ORG_ID, ...addText("Trees", 3), allowKeywordsOnly: true });
    await build();
    expect(states()).toEqual(["serving lexical"]);
    expect(offer()).toMatchObject({ providerId: id, origin: other.origin, model: SMALL });
    expect(embedded(other)).toEqual([]);
    expect(embedded(upstream)).toHaveLength(before);
  });

  it("go to the provider in the settings only if it existed when chosen", async () => {
    changeSettings(test.actors.admin, { embeddingProvider: "model" });
    await addProvider("Main", upstream);
    await build();
    expect(embedded(upstream)).toEqual([]);
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("needs an admin's consent");
    // An unchanged value is not a choice.
    changeSettings(test.actors.admin, { embeddingProvider: "model" });
    await build();
    expect(embedded(upstream)).toEqual([]);
    expect(offer()).toMatchObject({ model: SMALL, provider: "Main" });
    changeSettings(test.actors.admin, { embeddingProvider: "auto" });
    changeSettings(test.actors.admin, { embeddingProvider: "model" });
    await build();
    expect(states()).toEqual(["serving model"]);
    expect(embedded(upstream).length).toBeGreaterThan(0);
  });
});

describe("the offer", () => {
  it("includes the destination, the number of chunks and the estimated cost", async () => {
    await addProvider("Main", upstream);
    rawDatabase().prepare("UPDATE documents SET chunk_count = 10").run();
    const chunks = 20;
    expect(offer()).toMatchObject({
      model: SMALL,
      provider: "Main",
      host: new URL(upstream.origin).host,
      local: true,
      chunks,
      // On this machine.
      costMicros: 0,
      postponed: false,
    });
    expect(offer()?.tokens).toBeGreaterThan(100);
    const price = { inputCost: 0.02, outputCost: 0, createdAt: 1, updatedAt: 1 };
    transaction((tx) =>
      tx
        .insert(modelSettings)
        .values({ orgId: ORG_ID, modelId: SMALL, ...price })
        .run(),
    );
    expect(offer()?.costMicros).toBe((offer()?.tokens ?? 0) * 20);
  });

  it("is postponed with Not Now and can be accepted later", async () => {
    await addProvider("Main", upstream);
    expect(decide("postpone").offer).toMatchObject({ postponed: true });
    await build();
    expect(embedded(upstream)).toEqual([]);
    decide("rebuild");
    const actions = listAudit(test.actors.owner, { limit: 20 }).entries.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith("embedding."))).toEqual([
      "embedding.agreed",
      "embedding.postponed",
    ]);
  });

  it("can be accepted by admins only, and only if unchanged", async () => {
    const { id } = await addProvider("Main", upstream);
    const shown = offer();
    if (!shown) throw new Error("nothing is offered");
    const { member, admin } = test.actors;
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => readEmbeddingOffer(member)).toThrow(forbidden);
    expect(() => decideOnOffer(member, { ...shown, decision: "rebuild" })).toThrow(forbidden);
    await updateProvider(admin, id, { config: { baseUrl: `${other.origin}/v1`, models: [SMALL] } });
    expect(() => decideOnOffer(admin, { ...shown, decision: "rebuild" })).toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect(readConsent(ORG_ID).agreed).toEqual([]);
  });
});
