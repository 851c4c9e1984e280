import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText } from "../../../../tests/support/knowledge";
import { openQdrantFake, type QdrantFake } from "../../../../tests/support/qdrant";
import { LEXICAL_DIMENSIONS } from "../embedding/lexical-embedder";
import { listIndexes } from "../indexes.repo.server";
import { qdrantStore } from "../stores/qdrant.store.server";
import { resetQdrantState } from "../stores/qdrant-client.server";
import { toBlob } from "../stores/tables";
import { markAllForCheck, runBuilder } from "./builder.server";
import { indexVersion } from "./index-version.server";
import { toStoredIndex } from "./put-chunks.server";
import { tuneServers } from "./server-index.server";

const CHUNKS = 5100;
const BATCH = 500;

// Other tests of this process ask servers on loopback.
const unguarded = getGlobalDispatcher();
let test: ReturnType<typeof openTestDatabase>;
let qdrant: QdrantFake;

beforeEach(async () => {
  qdrant = await openQdrantFake();
  test = openTestDatabase({ QDRANT_URL: qdrant.origin });
  markAllForCheck();
  installEgressGuard();
  allowOperatorOrigin(qdrant.origin);
});
afterEach(async () => {
  setGlobalDispatcher(unguarded);
  resetQdrantState();
  test.close();
  await qdrant.close();
});

const active = () => {
  const found = listIndexes(db(), ORG_ID).find(({ state }) => state === "serving");
  if (!found) throw new Error("No index.");
  return found;
};

/** A large index of vectors that have nothing to do with its texts: only the entries and the points matter. */
async function fill(): Promise<void> {
  await indexVersion({ orgId: ORG_ID, ...addText("Ships", 3) });
  await runBuilder(new AbortController().signal);
  const { id, chunkSetId, space } = active();
  const raw = rawDatabase();
  const [documentId, versionId] = raw
    .prepare("SELECT document_id, version_id FROM chunks LIMIT 1")
    .raw()
    .get() as [string, string];
  raw.exec("DELETE FROM index_entries; DELETE FROM embeddings");
  const chunk =
    raw.prepare(`INSERT INTO chunks (chunk_set_id, document_id, version_id, position, text, headings, start,
    "end", tokens, hash) VALUES (?, ?, ?, ?, ?, '[]', 0, 0, 1, ?) RETURNING id`);
  const points: Parameters<typeof qdrantStore.put>[1][number][] = [];
  raw.transaction(() => {
    for (let n = 0; n < CHUNKS; n++) {
      const hash = `hash ${n}`;
      const vector = new Float32Array(
        Array.from({ length: LEXICAL_DIMENSIONS }, (_, at) => Math.sin((n + 1) * (at + 1) * 1.7)),
      );
      const made = chunk
        .pluck()
        .get(chunkSetId, documentId, versionId, 1000 + n, `Ship ${n % 10} lies at the quay.`, hash) as number;
      raw
        .prepare("INSERT INTO embeddings (space_id, hash, vector) VALUES (?, ?, ?)")
        .run(space?.id, hash, toBlob(vector));
      raw.prepare("INSERT INTO index_entries VALUES (?, ?)").run(id, made);
      points.push({ id: made, vector, documentId, hash, open: true });
    }
  })();
  const stored = toStoredIndex(active());
  await qdrantStore.drop(stored);
  await qdrantStore.create(stored);
  for (let from = 0; from < points.length; from += BATCH)
    await qdrantStore.put(stored, points.slice(from, from + BATCH));
  raw.prepare("UPDATE search_indexes SET recall = NULL").run();
}

it("takes the narrowest search that finds nearly all, once Qdrant has ordered its points", async () => {
  await fill();
  const tune = () => tuneServers(new AbortController().signal);
  qdrant.settle("yellow");
  expect(await tune()).toBe(false);
  expect(active()).toMatchObject({ searchEf: null, recall: null });
  qdrant.settle("green");
  expect(await tune()).toBe(true);
  // The fake finds 0.89 with 512 and 0.98 with 1,024.
  expect(active().searchEf).toBe(1024);
  expect(active().recall).toBeGreaterThan(0.95);
});

it("has a Qdrant that was killed before it ordered its points go on with it", async () => {
  await fill();
  const tune = () => tuneServers(new AbortController().signal);
  qdrant.settle("grey");
  expect(await tune()).toBe(false);
  expect(await tune()).toBe(true);
  expect(active().recall).toBeGreaterThan(0.95);
});
