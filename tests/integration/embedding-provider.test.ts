import type { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OfferAnswer } from "~/work/index/consent/consent.schema";
import type { RagStatus } from "~/work/index/indexes.schema";
import type { SearchAnswer } from "~/work/search/search.schema";
import { startAimock } from "../support/aimock";
import { startServer, type TestServer } from "../support/server";

const MODEL = "text-embedding-3-small";

let server: TestServer;
let mock: LLMock;

beforeAll(async () => {
  mock = await startAimock({ embeds: true });
  server = await startServer({ env: { EGRESS_ALLOW: "127.0.0.1" } });
  const config = { baseUrl: `${mock.url}/v1`, models: [MODEL] };
  const provider = { provider: "custom", displayName: "Embedding server", config };
  const made = await server.ask("/api/providers", { as: "owner", json: provider });
  expect(made.status, await made.clone().text()).toBe(201);
});
afterAll(async () => {
  await server?.close();
  await mock?.stop();
});

const ingest = async (title: string, text: string) =>
  (await server.ask("/api/rag/ingest", { as: "member", json: { title, text } })).json();
const search = async (query: string) =>
  (await (await server.ask("/api/rag/search", { as: "viewer", json: { query } })).json()) as SearchAnswer;

const embedded = () => mock.getRequests().filter(({ path }) => path?.endsWith("/embeddings"));

it("is sent no document before an admin agrees to the offer, and every one after", async () => {
  await ingest("Ropes", "They hold a ship of forty tons.");
  expect((await search("a ship of forty tons")).embedder).toContain("built-in");
  const status = (await (await server.ask("/api/rag/status", { as: "viewer" })).json()) as RagStatus;
  expect(status.embedder).toMatchObject({ kind: "lexical" });
  const { offer } = (await (
    await server.ask("/api/rag/embedding-offer", { as: "admin" })
  ).json()) as OfferAnswer;
  expect(offer).toMatchObject({ model: MODEL, provider: "Embedding server", chunks: 1, costMicros: 0 });
  expect(embedded()).toEqual([]);
  const decided = { ...offer, decision: "rebuild" };
  const refused = await server.ask("/api/rag/embedding-offer", { as: "member", json: decided });
  expect(refused.status).toBe(403);
  const agreed = await server.ask("/api/rag/embedding-offer", { as: "admin", json: decided });
  expect(await agreed.json()).toEqual({ offer: null });
  await expect.poll(async () => (await search("a ship of forty tons")).embedder).toContain(MODEL);
  expect(JSON.stringify(embedded())).toContain("forty tons");
});

describe("a provider that embeds", () => {
  it("embeds documents and queries", async () => {
    const made = await ingest("Anchors", "Ours weigh two tons each.");
    expect(made).toMatchObject({ title: "Anchors", chunks: 1, hasEmbeddings: true });
    const answer = await search("Ours weigh two tons each.");
    expect(answer).toMatchObject({ notice: null });
    expect(answer.embedder).toContain(MODEL);
    expect(answer.results[0]?.scores).toMatchObject({ keyword: { rank: 1 }, vector: { rank: 1 } });
    const inputs = mock.getRequests().filter(({ path }) => path?.endsWith("/embeddings"));
    expect(inputs.length).toBeGreaterThanOrEqual(2);
  });
});
