import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onAccessChanged } from "~/core/access-events.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { getMember, refusalToLeave } from "~/team/members/member.service.server";
import { addMemory } from "~/work/chat/memories/memories.service.server";
import { getDocument } from "~/work/documents/documents.service.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { deleteDocument } from "~/work/documents/removal/document-removal.service.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { comparisons, conversations, messages } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { offboardingJob } from "./offboarding.jobs.server";
import type { OffboardingInput } from "./offboarding.schema";
import { leaveOrganisation, listOwnedData, removeMember } from "./offboarding.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stopJobs: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stopJobs();
  stopJobs = async () => undefined;
  test.close();
});

const ALL: OffboardingInput = {
  documents: "usr_admin",
  restrictedDocuments: "usr_owner",
  conversations: "usr_owner",
  personas: "usr_admin",
};
const add = (title: string, more: Record<string, unknown> = {}) =>
  queueIngest(test.actors.member, IngestInput.parse({ text: `About ${title}`, title, ...more })).id;
const entries = (limit = 5) => listAudit(test.actors.owner, { limit }).entries;
const count = (sql: string) => rawDatabase().prepare(`SELECT count(*) FROM ${sql}`).pluck().get();
const remaining = () => count("documents WHERE created_by = 'usr_member' AND deleted_at IS NULL");

function addConversation(id: string, more: Partial<typeof conversations.$inferInsert> = {}) {
  transaction((tx) =>
    tx
      .insert(conversations)
      .values({
        id,
        orgId: ORG_ID,
        userId: "usr_member",
        title: id,
        model: "m",
        createdAt: 1,
        updatedAt: 1,
        ...more,
      })
      .run(),
  );
}

/** Runs the job that the removal queued, until it has ended. */
async function runJob(): Promise<void> {
  stopJobs = startJobs([offboardingJob]);
  const state = () =>
    rawDatabase().prepare("SELECT state FROM jobs WHERE kind = 'members.offboarding'").pluck().get();
  await expect.poll(state).toBe("succeeded");
}

describe("owned data", () => {
  it("is reported to admins as counts with possible recipients", () => {
    const { admin } = test.actors;
    expect(listOwnedData(admin, "usr_member")).toEqual([]);
    add("Layoffs", { visibility: "named" });
    add("Menu");
    addConversation("con_1");
    createPersona(test.actors.member, PersonaInput.parse({ name: "Analyst" }));
    const found = listOwnedData(admin, "usr_member");
    expect(found.map(({ kind, count, recipients }) => [kind, count, recipients.map(({ id }) => id)])).toEqual(
      [
        ["documents", 1, ["usr_admin", "usr_owner"]],
        // The admin who removes them can't receive what is private.
        ["restrictedDocuments", 1, ["usr_owner"]],
        ["conversations", 1, ["usr_owner"]],
        ["personas", 1, ["usr_admin", "usr_owner"]],
      ],
    );
    expect(JSON.stringify(found)).not.toContain("Layoffs");
    for (const role of ["viewer", "member"] as const) {
      expect(() => listOwnedData(test.actors[role], "usr_admin")).toThrow(/admins and owners/);
      expect(() => removeMember(test.actors[role], "usr_admin", {})).toThrow(/admins and owners/);
    }
  });
});

describe("a removal", () => {
  it("deletes memories, which nobody receives", () => {
    addMemory(test.actors.member, { text: "Takes tea" });
    expect(listOwnedData(test.actors.admin, "usr_member")).toEqual([]);
    removeMember(test.actors.admin, "usr_member", {});
    expect(count("memories")).toBe(0);
  });

  it("requires a decision on each kind and commits together with it", async () => {
    const { admin, owner, viewer } = test.actors;
    const hidden = add("Plan", { visibility: "named", readers: ["usr_viewer"] });
    const open = add("Menu");
    const refused: OffboardingInput[] = [
      {},
      { documents: "usr_admin" },
      { documents: "usr_admin", restrictedDocuments: "usr_admin" },
      { documents: "usr_viewer", restrictedDocuments: "delete" },
      { documents: "usr_member", restrictedDocuments: "delete" },
      { documents: "delete", restrictedDocuments: "usr_nobody" },
    ];
    for (const input of refused)
      expect(() => removeMember(admin, "usr_member", input)).toThrow(
        expect.objectContaining({ code: "invalid" }),
      );
    expect(getMember(admin, "usr_member").status).toBe("active");
    expect(entries(1)[0]?.action).toBe("document.queued");
    // The state if the process stops right after the commit.
    const seen: unknown[] = [];
    const stop = onAccessChanged(() => seen.push(remaining()));
    removeMember(admin, "usr_member", ALL);
    stop();
    expect(seen).toEqual([0]);
    expect(getDocument(owner, hidden)).toMatchObject({ mayManage: true, createdBy: { id: "usr_owner" } });
    expect(getDocument(viewer, hidden).name).toBe("Plan");
    expect(() => getDocument(admin, hidden)).toThrow("not found");
    expect(getDocument(viewer, open).createdBy.id).toBe("usr_admin");
    expect(entries(3).map(({ action, details }) => [action, details])).toEqual([
      ["member.data_transferred", { count: 1, what: "restricted documents", to: "usr_owner" }],
      ["member.data_transferred", { count: 1, what: "documents", to: "usr_admin" }],
      ["member.removed", { email: "member@example.org", role: "member" }],
    ]);
    expect(deleteDocument(owner, hidden).name).toBe("Plan");
    await runJob();
  });

  it("needs no decision and queues nothing for a member without data", () => {
    removeMember(test.actors.admin, "usr_viewer", {});
    expect(count("jobs WHERE kind = 'members.offboarding'")).toBe(0);
  });

  it("transfers or deletes the rest in a job and stops processing deleted documents", async () => {
    transaction(() => {
      for (let n = 0; n < 450; n++) addDocument(`Plan ${n}`, { visibility: "named" });
    });
    add("Plan", { visibility: "named" });
    removeMember(test.actors.admin, "usr_member", { restrictedDocuments: "delete" });
    expect(remaining()).toBeGreaterThan(0);
    expect(entries(1)[0]).toMatchObject({
      action: "member.data_deleted",
      details: { count: 451, what: "restricted documents" },
    });
    await runJob();
    expect(remaining()).toBe(0);
    expect(
      count("jobs WHERE state IN ('scheduled', 'queued', 'running') AND kind = 'documents.ingest'"),
    ).toBe(0);
  });
});

describe("leaving", () => {
  it("removes one's own account with the same decisions and transfers private data to the chosen member", async () => {
    const { member, viewer, owner } = test.actors;
    const hidden = add("Plan", { visibility: "named" });
    expect(listOwnedData(member, "usr_member")).toMatchObject([{ kind: "restrictedDocuments", count: 1 }]);
    expect(() => leaveOrganisation(member, {})).toThrow(expect.objectContaining({ code: "invalid" }));
    leaveOrganisation(member, { restrictedDocuments: "usr_admin" });
    expect(getDocument(test.actors.admin, hidden).createdBy.id).toBe("usr_admin");
    expect(entries(2).map(({ action, userId }) => [action, userId])).toEqual([
      ["member.data_transferred", "usr_member"],
      ["member.left", "usr_member"],
    ]);
    leaveOrganisation(viewer, {});
    expect(() => getMember(owner, "usr_viewer")).toThrow("Member not found");
    await runJob();
  });

  it("is forbidden to tokens and to the last owner", () => {
    expect(() => leaveOrganisation({ ...test.actors.member, kind: "token" }, {})).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(() => leaveOrganisation(test.actors.owner, {})).toThrow(/last owner/);
    expect(refusalToLeave(test.actors.owner)).toContain("last owner");
    expect(refusalToLeave(test.actors.member)).toBeUndefined();
  });
});

describe("conversations", () => {
  const compare = () =>
    transaction((tx) => {
      tx.insert(comparisons)
        .values({ id: "cmp_1", orgId: ORG_ID, userId: "usr_member", prompt: "x", createdAt: 1 })
        .run();
    });

  it("are transferred with comparisons, except those with restricted passages", async () => {
    compare();
    addConversation("con_column", { comparisonId: "cmp_1" });
    addConversation("con_open");
    addConversation("con_restricted", { restrictedAt: 1 });
    // It quotes a document that is restricted by now.
    addConversation("con_quoting");
    const document = addDocument("quoted", { visibility: "named", createdBy: "usr_admin" });
    const parts = [{ type: "text", id: "0", text: `See [1](/rag/${document}#p1).` }];
    transaction((tx) =>
      tx
        .insert(messages)
        .values({
          id: "msg_quoting",
          conversationId: "con_quoting",
          position: 0,
          role: "assistant",
          status: "complete",
          parts,
          createdAt: 1,
        })
        .run(),
    );
    expect(listOwnedData(test.actors.admin, "usr_member")).toMatchObject([{ count: 4 }]);
    removeMember(test.actors.admin, "usr_member", { conversations: "usr_owner" });
    await runJob();
    const rows = db().select().from(conversations).all();
    expect(rows.map(({ id, userId }) => [id, userId])).toEqual([
      ["con_column", "usr_owner"],
      ["con_open", "usr_owner"],
    ]);
    expect(db().select().from(comparisons).all()).toMatchObject([{ userId: "usr_owner" }]);
  });

  it("are deleted with their data once no answer is being written", async () => {
    compare();
    addConversation("con_column", { comparisonId: "cmp_1" });
    for (let n = 0; n < 25; n++) addConversation(`con_${n}`);
    transaction((tx) =>
      tx
        .insert(messages)
        .values({
          id: "msg_1",
          conversationId: "con_3",
          position: 0,
          role: "assistant",
          status: "streaming",
          parts: [],
          createdAt: 1,
        })
        .run(),
    );
    removeMember(test.actors.admin, "usr_member", { conversations: "delete" });
    stopJobs = startJobs([offboardingJob]);
    await expect.poll(() => count("conversations")).toBe(1);
    await expect
      .poll(() =>
        rawDatabase().prepare("SELECT state, error FROM jobs WHERE kind = 'members.offboarding'").get(),
      )
      .toMatchObject({ state: "scheduled", error: expect.stringContaining("Still in use: 1 item") });
    expect(db().select().from(comparisons).all()).toEqual([]);
    rawDatabase().exec("UPDATE messages SET status = 'stopped'");
    await expect.poll(() => count("conversations")).toBe(0);
    expect(count("messages")).toBe(0);
  });
});
