import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { makeCollection } from "../../../tests/support/search-collection";
import { updateIndex } from "./indexes.repo.server";
import { cancelIndex, rebuildIndex } from "./indexes.service.server";
import type { KnowledgeEvent } from "./ingest.schema";
import { knowledgeChanged } from "./ingestion/changes.server";
import { watchKnowledge } from "./watch.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("tells of an index that is built, though no document has changed, and nothing twice", async () => {
  makeCollection();
  const { admin, viewer } = test.actors;
  const seen: (KnowledgeEvent | undefined)[] = [];
  const stop = watchKnowledge(viewer, (event) => seen.push(event));
  const next = (state: string) =>
    vi.waitFor(() => {
      const event = seen.shift();
      expect(event?.documents).toEqual([]);
      const index = event?.status?.indexes.at(-1);
      expect(index?.state).toBe(state);
      return index;
    });
  const { id } = rebuildIndex(admin);
  expect(await next("building")).toMatchObject({ id, done: 0 });
  transaction((tx) => updateIndex(tx, Number(id), { done: 50, total: 200 }));
  knowledgeChanged({ orgId: viewer.orgId });
  // As the loader tells it: how many chunks there are isn't a viewer's to know.
  expect(await next("building")).toMatchObject({ done: 25, total: 100 });
  knowledgeChanged({ orgId: viewer.orgId });
  cancelIndex(admin, id);
  expect(await next("cancelled")).toMatchObject({ id });
  expect(seen).toEqual([]);
  stop();
});
