import { afterEach, beforeEach, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { addToGroup, deleteGroup, removeFromGroup } from "~/team/members/groups.service.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { listRestrictedDocuments } from "~/work/index/indexes.repo.server";
import { permitted } from "~/work/search/retrieval/chunks.queries";
import type { SearchTask } from "~/work/search/retrieval/search-task";
import { listSearchedDocuments } from "~/work/search/search.repo.server";
import { documentReaderGroups, documentReaders, groupMembers, groups, users } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { makeCollection } from "../../../../tests/support/search-collection";
import { countInCategory, findDocument } from "../documents.repo.server";
import { findDeleted } from "../removal/document-removal.service.server";
import { listVisibleBySource } from "../versions/versions.repo.server";

const PEOPLE = {
  creator: "usr_member",
  reader: "usr_viewer",
  other: "usr_owner",
  inGroup: "usr_group",
  admin: "usr_admin",
} as const;
const ACTORS = { creator: "member", reader: "viewer", other: "owner", admin: "admin" } as const;
type Person = keyof typeof PEOPLE;

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

function add(visibility: "organisation" | "named"): { id: string; category: string } {
  const row = { visibility, createdBy: PEOPLE.creator, type: "url" as const, source: "https://example.org/" };
  const id = makeCollection().add({ name: "Plan", chunks: ["Layoffs in May."], row }).documentId;
  transaction((tx) => {
    tx.insert(documentReaders).values({ documentId: id, userId: PEOPLE.reader }).run();
    tx.insert(users)
      .values({
        id: PEOPLE.inGroup,
        orgId: ORG_ID,
        email: "crew@example.org",
        role: "viewer",
        status: "active",
        createdAt: 1,
        updatedAt: 1,
      })
      .run();
    tx.insert(groups).values({ id: "grp_crew", orgId: ORG_ID, name: "Crew", createdAt: 1 }).run();
    tx.insert(groupMembers).values({ groupId: "grp_crew", userId: PEOPLE.inGroup }).run();
    tx.insert(documentReaderGroups).values({ documentId: id, groupId: "grp_crew" }).run();
  });
  const category = rawDatabase().prepare("SELECT category_id FROM documents WHERE id = ?").pluck().get(id);
  return { id, category: String(category) };
}

const actorOf = (person: Person): Actor =>
  person === "inGroup" ? { ...test.actors.viewer, userId: PEOPLE.inGroup } : test.actors[ACTORS[person]];

const inView = (id: string, userId: string) =>
  rawDatabase()
    .prepare("SELECT 1 FROM document_viewers WHERE document_id = ? AND user_id IN ('*', ?)")
    .get(id, userId) !== undefined;

function answers({ id, category }: { id: string; category: string }, userId: string) {
  const viewer = { orgId: ORG_ID, userId };
  const { sql, values } = permitted({ ...viewer, filters: {} } as SearchTask);
  const searched = rawDatabase()
    .prepare(`SELECT 1 FROM chunks c JOIN documents d ON d.id = c.document_id WHERE d.id = ? AND ${sql}`)
    .get(id, ...values);
  const { visibility, deletedAt } = rawDatabase()
    .prepare("SELECT visibility, deleted_at AS deletedAt FROM documents WHERE id = ?")
    .get(id) as { visibility: string; deletedAt: number | null };
  const listed = listRestrictedDocuments(db(), ORG_ID, userId, 10).includes(id);
  return {
    "a document's page": findDocument(db(), viewer, id) !== undefined,
    "a list's page": findDocuments(db(), viewer, [id]).length === 1,
    "a category's count": countInCategory(db(), viewer, category) === 1,
    "a duplicate URL": listVisibleBySource(db(), viewer, "https://example.org/").length === 1,
    "the built-in search": searched !== undefined,
    "a filter for Qdrant": listSearchedDocuments(db(), viewer, {}, 10).includes(id),
    // Documents visible to everyone have a flag in the store; the list contains the rest.
    "the list for Qdrant": deletedAt === null && (visibility === "organisation" || listed),
  };
}

it.each([
  ["organisation", { creator: true, reader: true, inGroup: true, other: true, admin: true }],
  ["named", { creator: true, reader: true, inGroup: true, other: false, admin: false }],
] as const)("%s visibility applies everywhere alike, before and after deletion", (kind, sees) => {
  const document = add(kind);
  for (const person of Object.keys(PEOPLE) as Person[]) {
    const userId = PEOPLE[person];
    expect([person, inView(document.id, userId)]).toEqual([person, sees[person]]);
    for (const [access, answer] of Object.entries(answers(document, userId)))
      expect([person, access, answer]).toEqual([person, access, sees[person]]);
  }
  rawDatabase().exec(`UPDATE documents SET deleted_at = 1`);
  for (const person of Object.keys(PEOPLE) as Person[]) {
    const userId = PEOPLE[person];
    expect([person, inView(document.id, userId)]).toEqual([person, false]);
    for (const [access, answer] of Object.entries(answers(document, userId)))
      expect([person, access, answer]).toEqual([person, access, false]);
    // Users who had access before the deletion are notified.
    const found = findDeleted(actorOf(person), document.id) !== undefined;
    expect([person, "the deleted document's page", found]).toEqual([
      person,
      "the deleted document's page",
      sees[person],
    ]);
  }
});

it("grants and revokes access immediately when a user joins or leaves a group", () => {
  const document = add("named");
  const seenByAdmin = () => Object.values(answers(document, PEOPLE.admin));
  expect(seenByAdmin()).not.toContain(true);
  addToGroup(test.actors.owner, "grp_crew", PEOPLE.admin);
  expect(seenByAdmin()).not.toContain(false);
  removeFromGroup(test.actors.owner, "grp_crew", PEOPLE.admin);
  expect(seenByAdmin()).not.toContain(true);
  deleteGroup(test.actors.owner, "grp_crew");
  expect(Object.values(answers(document, PEOPLE.inGroup))).not.toContain(true);
});
