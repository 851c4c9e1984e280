import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { bundledWorker } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../tests/support/database";
import {
  makeCollection,
  type SampleCollection,
  searchTask,
} from "../../../../tests/support/search-collection";

const QUERY = "merger price talks";

let test: ReturnType<typeof openTestDatabase>;
let collection: SampleCollection;
let worker: Worker;

beforeAll(() => {
  worker = new Worker(bundledWorker("vectors"), { env: {}, execArgv: [] });
});
afterAll(() => worker.terminate());
beforeEach(() => {
  test = openTestDatabase();
  collection = makeCollection();
  return () => test.close();
});

async function ask(message: unknown): Promise<unknown> {
  const answered = once(worker, "message");
  worker.postMessage(message);
  return (await answered)[0];
}

it("ranks the permitted chunks by their vectors", async () => {
  const best = collection.add({ name: "Deal", chunks: [QUERY, "The price of paper rises"] });
  collection.add({ name: "Secret", chunks: [QUERY], row: { visibility: "named" } });
  const hits = (await ask({ task: searchTask(collection, QUERY, { userId: "usr_viewer" }), limit: 5 })) as {
    chunkId: number;
  }[];
  expect(hits.map(({ chunkId }) => chunkId)).toEqual(best.chunkIds);
});

it("answers with nothing where it can't search, and then serves the next search", async () => {
  expect(await ask({ task: searchTask(collection, QUERY, { vector: undefined }), limit: 5 })).toBeUndefined();
  expect(await ask({ task: "none", limit: 5 })).toBeUndefined();
  const missing = searchTask(collection, QUERY, { database: "/nowhere/at-all.db" });
  expect(await ask({ task: missing, limit: 5 })).toBeUndefined();
  expect(await ask({ task: searchTask(collection, QUERY), limit: 5 })).toEqual([]);
});
