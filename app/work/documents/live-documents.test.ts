import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { liveVersion, subscribe } from "~/platform/events/events.service.server";
import { addToGroup, createGroup, removeFromGroup } from "~/team/members/groups.service.server";
import { cancelIndex, rebuildIndex } from "~/work/index/indexes.service.server";
import { followGroups } from "~/work/index/knowledge-changes.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { makeCollection } from "../../../tests/support/search-collection";
import { createCategory } from "./categories/categories.service.server";
import { moveDocument, patchDocument, reorderDocuments } from "./document-changes.service.server";
import { deleteDocument, restoreDocument } from "./removal/document-removal.service.server";

let test: ReturnType<typeof openTestDatabase>;
const stops: (() => void)[] = [];
beforeEach(() => {
  test = openTestDatabase();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  test.close();
});

function follow(actor: Actor) {
  const seen: string[] = [];
  const options = { topics: ["documents"], isBehind: () => false, since: liveVersion() } as const;
  stops.push(subscribe(actor, options, (event) => seen.push(event ? (event.id ?? event.topic) : "end")));
  return () => {
    vi.advanceTimersByTime(1000);
    return seen.splice(0);
  };
}

it("reports changes of a document only to users who can view it", () => {
  const { member, viewer } = test.actors;
  const [first, second] = [addDocument("First"), addDocument("Second", { orderIndex: 9 })];
  const hidden = addDocument("Hidden", { orderIndex: 12, visibility: "named" });
  const received = follow(viewer);
  moveDocument(member, hidden, { direction: "up" });
  expect(received()).toEqual([]);
  moveDocument(member, first, { direction: "down" });
  expect(received()).toEqual([first]);
  reorderDocuments(member, { category: "Uncategorized", order: [second, hidden] });
  expect(received()).toEqual([second]);
  patchDocument(member, first, { category: "Finance" });
  expect(received()).toEqual([first]);
  patchDocument(member, hidden, { name: "Still hidden" });
  expect(received()).toEqual([]);
  createCategory(member, "Ships");
  expect(received()).toEqual(["documents"]);
});

it("reports hiding and deletion only to users who could view the document", () => {
  const { member, viewer, admin } = test.actors;
  const [open, named] = [addDocument("Open"), addDocument("Named", { visibility: "named" })];
  const [ofViewer, ofMember] = [follow(viewer), follow(member)];
  patchDocument(member, named, { readers: [admin.userId] });
  expect([ofViewer(), ofMember()]).toEqual([[], [named, "documents"]]);
  const ofAdmin = follow(admin);
  deleteDocument(member, named);
  expect([ofViewer(), ofAdmin()]).toEqual([[], ["documents"]]);
  restoreDocument(member, named);
  expect([ofViewer(), ofAdmin()]).toEqual([[], [named]]);
  patchDocument(member, open, { visibility: "named", readers: [] });
  expect([ofViewer(), ofAdmin()]).toEqual([["documents"], ["documents"]]);
  patchDocument(member, open, { visibility: "organisation" });
  expect([ofViewer(), ofAdmin()]).toEqual([[open], [open]]);
});

it("reports changes to a group's members, and changes of the group", () => {
  stops.push(followGroups());
  const { admin, member, viewer } = test.actors;
  const id = addDocument("Hidden", { visibility: "named" });
  const crew = createGroup(admin, { name: "Crew", members: [] });
  patchDocument(member, id, { readers: [crew.id] });
  const [received, other] = [follow(viewer), follow({ ...viewer, orgId: "org_other" })];
  addToGroup(admin, crew.id, viewer.userId);
  expect([received(), other()]).toEqual([["documents"], []]);
  patchDocument(member, id, { name: "For the crew" });
  expect(received()).toEqual([id]);
  removeFromGroup(admin, crew.id, viewer.userId);
  expect(received()).toEqual(["documents"]);
  patchDocument(member, id, { name: "For the crew alone" });
  expect([received(), other()]).toEqual([[], []]);
});

it("reports index builds to everyone, even without document changes", () => {
  makeCollection();
  const { admin, viewer } = test.actors;
  const received = follow(viewer);
  const { id } = rebuildIndex(admin);
  expect(received()).toContain("documents");
  cancelIndex(admin, id);
  expect(received()).toContain("documents");
});
