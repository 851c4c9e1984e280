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
};
