import { createHash } from "node:crypto";
import { QdrantClient } from "@qdrant/js-client-rest";
import { withDeadline } from "~/core/abort";
import { dataDir, env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/settings.service.server";
import { keyFor } from "~/team/keys/keys.service.server";
import type { ServerStore, StoredIndex } from "./vector-store";

/** Numbers per request: serializing more blocks the event loop. */
const MAX_NUMBERS = 30_000;
const IS_OPEN = { key: "open", match: { value: true } };

const prepared = new Set<string>();

const ofDocument = (documentId: string) => ({ key: "documentId", match: { value: documentId } });
const ofDocuments = (ids: readonly string[]) => ({ key: "documentId", match: { any: [...ids] } });

async function count(index: StoredIndex, filter?: { must: (typeof IS_OPEN)[] }): Promise<number> {
  const collection_name = collectionOf(index);
  return callQdrant(index.orgId, async (api, init) => {
    const request = { collection_name, exact: true, ...(filter ? { filter } : {}) };
    const response = await unlessMissing(api.countPoints(request, init));
    return response?.data.result?.count ?? 0;
  });
}

export const qdrantStore: ServerStore = {
  id: "qdrant",
  location: "server",
  problem: qdrantProblem,
  batchOf: ({ dimensions }) => Math.max(1, Math.min(256, Math.floor(MAX_NUMBERS / Math.max(1, dimensions)))),
  async create(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      if (prepared.has(collection_name)) {
        const { data } = await api.collectionExists({ collection_name }, init);
        if (data.result?.exists) return;
      }
      const vectors = { size: index.dimensions, distance: "Cosine" as const };
      try {
        await api.createCollection({ collection_name, vectors }, init);
      } catch (error) {
        if (!hasStatus(error, 409)) throw error;
      }
      // Payload indexes for filters; a crash may have left some out.
      for (const [field_name, field_schema] of [
        ["documentId", "keyword"],
        ["open", "bool"],
      ] as const) {
        await api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init);
      }
      prepared.add(collection_name);
    });
  },
  async put(index, points, signal) {
    const collection_name = collectionOf(index);
    const rows = points.map(({ id, vector, documentId, open }) => ({
      id,
      vector: Array.from(vector),
      payload: { documentId, open },
    }));
    await callQdrant(
      index.orgId,
      (api, init) => api.upsertPoints({ collection_name, wait: true, points: rows }, init),
      { signal },
    );
  },
  async remove(index, chunkIds) {
    if (chunkIds.length === 0) return;
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      await unlessMissing(api.deletePoints({ collection_name, wait: true, points: [...chunkIds] }, init));
    });
  },
  async setOpen(index, documentId, open) {
    const collection_name = collectionOf(index);
    const filter = { must: [ofDocument(documentId)] };
    await callQdrant(index.orgId, (api, init) =>
      api.setPayload({ collection_name, wait: true, payload: { open }, filter }, init),
    );
  },
  count: async (index) => ({ all: await count(index), open: await count(index, { must: [IS_OPEN] }) }),
  async drop(index) {
    const collection_name = collectionOf(index);
    await callQdrant(index.orgId, async (api, init) => {
      await unlessMissing(api.deleteCollection({ collection_name }, init));
    });
  },
  async search(index, vector, k, { restrictedIds, documentIds }, signal) {
    if (documentIds?.length === 0) return [];
    const collection_name = collectionOf(index);
    const must = [
      ...(restrictedIds
        ? [{ should: [IS_OPEN, ...(restrictedIds.length > 0 ? [ofDocuments(restrictedIds)] : [])] }]
        : []),
      ...(documentIds ? [ofDocuments(documentIds)] : []),
    ];
    const filter = { must };
    return callQdrant(
      index.orgId,
      async (api, init) => {
        const query = { query: Array.from(vector), limit: k, filter, with_payload: false };
        const { data } = await api.queryPoints({ collection_name, ...query }, init);
        return (data.result?.points ?? []).map(({ id, score }) => ({
          chunkId: Number(id),
          similarity: score,
        }));
      },
      { kind: "search", signal },
    );
  },
};

/** Time limits per call (ms). */
const TIMES = { search: 3000, write: 30_000 };

type Api = ReturnType<QdrantClient["api"]>;
let cached: { address: string; api: Api } | undefined;

/** The official client's calls, each of which takes what `fetch` takes. */
function apiAt(address: string): Api {
  if (cached?.address === address) return cached.api;
  const { protocol, pathname, origin } = new URL(address);
  const client = new QdrantClient({
    url: origin,
    prefix: pathname === "/" ? "" : pathname,
    // The default port of the scheme, not the client's 6333.
    port: protocol === "https:" ? 443 : 80,
    // It would send a request and write to the console.
    checkCompatibility: false,
    // Our signal enforces the timeout; the client's timer would replace it.
    timeout: Number.POSITIVE_INFINITY,
  });
  cached = { address, api: client.api() };
  return cached.api;
}

function qdrantProblem(orgId: string): string | undefined {
  const { QDRANT_URL } = env();
  if (!QDRANT_URL) return "Qdrant is selected, but QDRANT_URL isn't set on the server.";
  try {
    const key = keyFor(orgId, { kind: "qdrant", origin: new URL(QDRANT_URL).origin });
    if (readSettings(orgId, "rag").ragVectorMode !== "qdrant-cloud") return undefined;
    if (!QDRANT_URL.startsWith("https:")) return "Qdrant Cloud needs an https address in QDRANT_URL.";
    return key === undefined
      ? "Qdrant Cloud needs a key. An admin can add a Qdrant reference under Settings › API Keys."
      : undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  const reason =
    status === 401 || status === 403
      ? "rejected the key. Check it under Settings › API Keys"
      : typeof status === "number"
        ? `returned HTTP ${status}. See its log`
        : "couldn't be reached. Check QDRANT_URL and that it is running";
  const kind = error instanceof Error ? error.name : typeof error;
  return new AppError("unavailable", `Qdrant ${reason}.`, { cause: new Error(kind) });
}

/**
 * Calls Qdrant through the process's dispatcher, since the client's own undici agent would bypass the
 * egress guard.
 * @throws AppError `unavailable` that says what is wrong; the signal's reason
 */
async function callQdrant<T>(
  orgId: string,
  work: (api: Api, init: RequestInit) => Promise<T>,
  { kind = "write", signal }: { kind?: keyof typeof TIMES; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  const problem = qdrantProblem(orgId);
  const address = env().QDRANT_URL;
  if (problem || !address)
    throw new AppError("unavailable", problem ?? "QDRANT_URL isn't set on the server.");
  const key = keyFor(orgId, { kind: "qdrant", origin: new URL(address).origin });
  const timeoutError = () =>
    new AppError("unavailable", `Qdrant took longer than ${TIMES[kind] / 1000} seconds.`);
  return withDeadline({ ms: TIMES[kind], timeoutError, signal }, async (ending) => {
    const init: RequestInit & { dispatcher: undefined } = {
      signal: ending,
      redirect: "error",
      dispatcher: undefined,
      ...(key ? { headers: { "api-key": key } } : {}),
    };
    try {
      return await work(apiAt(address), init);
    } catch (error) {
      throw toAppError(error);
    }
  });
}

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof Error && "status" in error && error.status === status;

/** @returns undefined if the collection doesn't exist */
async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/** A collection name unique to this installation: several may share a Qdrant. */
export function collectionOf({ id, orgId }: Pick<StoredIndex, "id" | "orgId">): string {
  const installation = createHash("sha256")
    .update([env().PUBLIC_URL, dataDir(), orgId].join("\n"))
    .digest("hex")
    .slice(0, 12);
  return `quarterdeck-${installation}-${id}`;
}
