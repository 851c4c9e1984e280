import { afterEach, beforeEach, expect, it } from "vitest";
import { onAccessChanged } from "~/core/access-events.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/features/audit/audit.service.server";
import { getMember, removeMember } from "~/features/members/member.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { deleteDocument } from "./document-removal.service.server";
import { getDocument } from "./documents.service.server";
import {
  countNamedOf,
  listFormerMembers,
  listHeirs,
  removeMemberDeciding,
  settleLeftDocuments,
} from "./former-members.service.server";
import { IngestInput } from "./ingest.schema";
import { queueIngest } from "./ingest.service.server";
import { listActiveJobs } from "./ingestion/jobs.repo.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const add = (title: string, more: Record<string, unknown> = {}) =>
  queueIngest(test.actors.member, IngestInput.parse({ text: `About ${title}`, title, ...more })).id;
const entries = () => listAudit(test.actors.owner, { limit: 3 }).entries;

it("nothing of a member's is told but its number, nor decided on while they are one", async () => {
  const { admin } = test.actors;
  add("Layoffs", { visibility: "named" });
  add("Menu");
  expect(await listFormerMembers(admin)).toEqual([]);
  expect(await countNamedOf(admin, "usr_member")).toBe(1);
  for (const id of ["usr_member", "usr_nobody"])
    await expect(settleLeftDocuments(admin, id, { action: "delete" })).rejects.toMatchObject({
      code: "not_found",
    });
  removeMember(admin, "usr_member");
  const people = await listFormerMembers(admin);
  expect(people).toMatchObject([{ id: "usr_member", documents: 1 }]);
  expect(JSON.stringify(people)).not.toContain("Layoffs");
  for (const role of ["viewer", "member"] as const) {
    await expect(listFormerMembers(test.actors[role])).rejects.toMatchObject({ code: "forbidden" });
    await expect(
      settleLeftDocuments(test.actors[role], "usr_member", { action: "delete" }),
    ).rejects.toMatchObject({ code: "forbidden" });
  }
});

it("what a former member left is deleted, and what everyone sees stays", async () => {
  const { admin, viewer } = test.actors;
  const hidden = Array.from({ length: 30 }, (_, n) =>
    add(`Plan ${n}`, { visibility: "named", readers: ["usr_viewer"] }),
  );
  const open = add("Menu");
  removeMember(admin, "usr_member");
  expect(await settleLeftDocuments(admin, "usr_member", { action: "delete" })).toEqual({ documents: 30 });
  for (const id of hidden) expect(() => getDocument(viewer, id)).toThrow("no such document");
  expect(getDocument(viewer, open).name).toBe("Menu");
  expect(await listFormerMembers(admin)).toEqual([]);
  expect(entries()[0]).toMatchObject({
    action: "member.documents_deleted",
    resource: "user:usr_member",
    details: { documents: 30 },
  });
});

it("what a former member left is handed to somebody else, who decides on it from then on", async () => {
  const { admin, owner, viewer } = test.actors;
  const id = add("Plan", { visibility: "named", readers: ["usr_viewer"] });
  removeMember(admin, "usr_member");
  expect(listHeirs(admin).map((heir) => heir.id)).toEqual(["usr_owner"]);
  for (const to of ["usr_admin", "usr_viewer", "usr_member", "usr_nobody"])
    await expect(settleLeftDocuments(admin, "usr_member", { action: "hand-over", to })).rejects.toMatchObject(
      { code: "invalid" },
    );
  expect(() => getDocument(owner, id)).toThrow("no such document");
  await settleLeftDocuments(admin, "usr_member", { action: "hand-over", to: "usr_owner" });
  expect(getDocument(owner, id)).toMatchObject({ mayManage: true, createdBy: { id: "usr_owner" } });
  expect(getDocument(viewer, id).name).toBe("Plan");
  expect(() => getDocument(admin, id)).toThrow("no such document");
  expect(entries()[0]).toMatchObject({
    action: "member.documents_handed_over",
    details: { documents: 1, to: "usr_owner" },
  });
  expect(deleteDocument(owner, id).name).toBe("Plan");
});

it("of two decisions at once the second finds nothing left to decide", async () => {
  const { admin } = test.actors;
  const id = add("Plan", { visibility: "named" });
  removeMember(admin, "usr_member");
  const deciding = settleLeftDocuments(admin, "usr_member", { action: "hand-over", to: "usr_owner" });
  await settleLeftDocuments(admin, "usr_member", { action: "delete" });
  await deciding;
  expect(getDocument(test.actors.owner, id)).toMatchObject({ mayManage: true, name: "Plan" });
});

const left = () =>
  rawDatabase()
    .prepare("SELECT count(*) FROM documents WHERE created_by = 'usr_member' AND deleted_at IS NULL")
    .pluck()
    .get();

it("who is removed and what becomes of their documents is one commit: both or neither", async () => {
  const { admin, owner } = test.actors;
  const id = add("Plan", { visibility: "named" });
  const toNobody = { action: "hand-over", to: "usr_viewer" } as const;
  await expect(removeMemberDeciding(admin, "usr_member", toNobody)).rejects.toMatchObject({
    code: "invalid",
  });
  expect(getMember(admin, "usr_member").status).toBe("active");
  expect(entries()[0]?.action).toBe("document.queued");
  // What a stop right behind the removal's commit would leave: who is told of that commit looks.
  const seen: unknown[] = [];
  const stop = onAccessChanged(() => seen.push(left()));
  await removeMemberDeciding(admin, "usr_member", { action: "hand-over", to: "usr_owner" });
  stop();
  expect(seen).toEqual([0]);
  expect(getDocument(owner, id).createdBy?.id).toBe("usr_owner");
  expect(
    entries()
      .slice(0, 2)
      .map(({ action }) => action),
  ).toEqual(["member.documents_handed_over", "member.removed"]);
});

it("more documents than fit into one commit are settled too, and the work on them ends", async () => {
  const { admin } = test.actors;
  transaction(() => {
    for (let n = 0; n < 1250; n++) addDocument(`Plan ${n}`, { visibility: "named" });
  });
  const working = add("Plan", { visibility: "named" });
  expect(listActiveJobs(db(), working)).toHaveLength(1);
  await removeMemberDeciding(admin, "usr_member", { action: "delete" });
  expect(left()).toBe(0);
  expect(listActiveJobs(db(), working)).toEqual([]);
  expect(entries()[0]).toMatchObject({ action: "member.documents_deleted", details: { documents: 1251 } });
});
