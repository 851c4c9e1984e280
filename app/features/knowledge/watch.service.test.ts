import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { transaction } from "~/core/db.server";
import { addToGroup, createGroup, removeFromGroup } from "~/features/members/groups.service.server";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { makeCollection } from "../../../tests/support/search-collection";
import { createCategory, renameCategory } from "./categories.service.server";
import { moveDocument, patchDocument, reorderDocuments } from "./document-changes.service.server";
import { updateIndex } from "./indexes.repo.server";
import { cancelIndex, rebuildIndex } from "./indexes.service.server";
import type { KnowledgeEvent } from "./ingest.schema";
import { addJob } from "./ingestion/accept.server";
import { knowledgeChanged } from "./ingestion/changes.server";
import { updateJob } from "./ingestion/jobs.repo.server";
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

it("tells that documents stand elsewhere or are called otherwise, to those who see them", async () => {
  const { member, viewer } = test.actors;
  const [first, second] = [addDocument("First"), addDocument("Second", { orderIndex: 9 })];
  const hidden = addDocument("Hidden", { orderIndex: 12, visibility: "named" });
  const seen: (KnowledgeEvent | undefined)[] = [];
  const stop = watchKnowledge(viewer, (event) => seen.push(event));
  const next = () =>
    vi.waitFor(() => {
      const event = seen.shift();
      expect(event).toBeDefined();
      return event?.listed && event.documents.map(({ id }) => id);
    });
  moveDocument(member, hidden, { direction: "up" });
  moveDocument(member, first, { direction: "down" });
  expect(await next()).toEqual([first]);
  reorderDocuments(member, { category: "Uncategorized", order: [second, hidden] });
  expect(await next()).toEqual([second]);
  patchDocument(member, first, { category: "Finance" });
  expect(await next()).toEqual([first]);
  const { id } = createCategory(member, "Ships");
  expect(await next()).toEqual([]);
  renameCategory(member, id, "Boats");
  expect(await next()).toEqual([]);
  // The schedule stands in no list.
  knowledgeChanged({ orgId: viewer.orgId, documentId: second });
  expect(await next()).toBe(false);
  expect(() => moveDocument(viewer, first, { direction: "up" })).toThrow();
  expect(seen).toEqual([]);
  stop();
});

it("tells of a document that was served by its words only, so that nobody is told of its vectors", async () => {
  const { add } = makeCollection();
  const made = ["Ropes", "Knots"].map((name) => add({ name, chunks: ["On a ship."] }).documentId);
  const [withVectors = "", without = ""] = made;
  for (const [documentId, wordsOnly, finishedAt] of [
    [withVectors, true, 1],
    [withVectors, false, 2],
    [without, false, 1],
    [without, true, 2],
  ] as const)
    transaction((tx) => {
      const id = addJob(tx, test.actors.member, {
        kind: "ingest",
        state: "done",
        documentId,
        input: { wordsOnly },
      });
      updateJob(tx, id, "done", { finishedAt });
    });
  const listener = vi.fn();
  const stop = watchKnowledge(test.actors.viewer, listener);
  for (const documentId of made) knowledgeChanged({ orgId: ORG_ID, documentId });
  await vi.waitFor(() => expect(listener).toHaveBeenCalled());
  expect(listener.mock.calls[0]?.[0]).toMatchObject({
    documents: [
      { id: withVectors, hasEmbeddings: true },
      { id: without, hasEmbeddings: false },
    ],
  });
  stop();
});

it("tells that a group has other members, so that lists are read again", async () => {
  const { admin, viewer } = test.actors;
  const id = addDocument("Hidden", { visibility: "named" });
  const crew = createGroup(admin, { name: "Crew", members: [] });
  patchDocument(test.actors.member, id, { readers: [crew.id] });
  const seen: (KnowledgeEvent | undefined)[] = [];
  const stop = watchKnowledge(viewer, (event) => seen.push(event));
  addToGroup(admin, crew.id, "usr_viewer");
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ listed: true, stats: { total: 1 } }));
  removeFromGroup(admin, crew.id, "usr_viewer");
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ stats: { total: 0 } }), 10_000);
  stop();
});
