import { expect } from "vitest";
import type { Effects, Installation } from "./effect";

interface Status {
  storeProblem: string | null;
  embedder: { kind: string; model: string } | null;
  indexes: { state: string; chunkTokens: number; chunkOverlap: number }[];
}

const readStatus = async ({ server }: Installation) =>
  (await (await server.ask("/api/rag/status", { as: "owner" })).json()) as Status;

const search = ({ server }: Installation) =>
  server.ask("/api/rag/search", { as: "owner", json: { query: "anchors of ships" } });

const serving = (member: "chunkTokens" | "chunkOverlap") => async (installation: Installation) =>
  (await readStatus(installation)).indexes.find(({ state }) => state === "serving")?.[member];

/** Changes the chunks and changes them back. @returns the state of the index that was built for it */
async function changeChunks(installation: Installation) {
  const { server } = installation;
  const put = (chunkOverlap: number) =>
    server.ask("/api/user/settings", { as: "owner", method: "PUT", json: { chunkOverlap } });
  const states = async (overlap: number) =>
    (await readStatus(installation)).indexes
      .filter(({ chunkOverlap }) => chunkOverlap === overlap)
      .map(({ state }) => state);
  await put(45);
  await expect
    .poll(() => states(45), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/serving|ready/));
  const [state] = await states(45);
  await put(60);
  await expect.poll(() => states(60), { timeout: 20_000 }).toEqual(["serving"]);
  await expect.poll(() => states(45), { timeout: 20_000 }).toEqual([]);
  return state;
}

export const rag: Effects<"rag"> = {
  ragEnabled: {
    alone: true,
    to: null,
    observe: async (installation) => (await search(installation)).status,
    before: 200,
    after: 409,
  },
  ragVectorMode: {
    to: "sqlite",
    observe: async (installation) => (await readStatus(installation)).storeProblem !== null,
    before: true,
    after: false,
  },
  embeddingProvider: {
    to: "off",
    eventually: true,
    observe: async (installation) => (await readStatus(installation)).embedder?.model,
    before: "built-in-lexical",
    after: undefined,
  },
  embeddingModel: {
    to: "text-embedding-3-large",
    given: () => ({ rag: { embeddingProvider: "openai" } }),
    eventually: true,
    observe: async (installation) => (await readStatus(installation)).embedder?.model,
    before: "text-embedding-3-small",
    after: "text-embedding-3-large",
  },
  chunkTokens: { to: "120", eventually: true, observe: serving("chunkTokens"), before: 400, after: 120 },
  chunkOverlap: { to: "30", eventually: true, observe: serving("chunkOverlap"), before: 60, after: 30 },
  rerankModel: {
    to: "calm",
    async observe(installation) {
      const before = installation.upstream.requests.length;
      await search(installation);
      return installation.upstream.requests.slice(before).some(({ url }) => url.includes("/chat"));
    },
    before: false,
    after: true,
  },
  compareFirst: { alone: true, to: "on", observe: changeChunks, before: "serving", after: "ready" },
};
