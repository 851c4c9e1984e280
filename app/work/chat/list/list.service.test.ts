import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { DAY, MINUTE } from "~/core/durations";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { answerEvents } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { insertConversation, insertMessage } from "../chat.repo.server";
import { listOwnConversations, readConversation } from "../conversations.service.server";
import { createFolder, deleteFolder, listFolders, updateFolder } from "../projects/projects.service.server";
import { whileWritten } from "./list.repo.server";
import {
  changeConversation,
  changeConversations,
  deleteConversations,
  listNavigation,
  purgeConversations,
  restoreConversation,
  restoreConversations,
} from "./list.service.server";
import { searchMessages } from "./search.service.server";

const NOW = Date.UTC(2026, 0, 20, 12);

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  setClock(() => NOW);
});
afterEach(() => {
  setClock();
  test.close();
});
afterAll(closeWorkerPools);

/** A stored conversation of a question and its answer. */
function add(
  id: string,
  {
    as = "member" as Role,
    updatedAt = NOW,
    question = "Why?",
    answer = "Because.",
    deletedAt = null as number | null,
  } = {},
) {
  const { orgId, userId } = test.actors[as];
  transaction((tx) => {
    const row = { orgId, userId, model: "m", settings: {}, createdAt: 1, updatedAt, deletedAt };
    insertConversation(tx, { id, title: `Title of ${id}`, ...row });
    for (const [position, text] of [question, answer].entries()) {
      const role = position === 0 ? ("user" as const) : ("assistant" as const);
      const parts = [{ type: "text", id: "0", text }];
      const base = { conversationId: id, position, role, status: "complete" as const, parts, createdAt: NOW };
      insertMessage(tx, { ...base, id: `${id}_${position}` });
    }
    tx.insert(answerEvents)
      .values({ messageId: `${id}_1`, firstId: 1, lastId: 1, events: "[]" })
      .run();
  });
}

const ids = (options = {}) =>
  listOwnConversations(test.actors.member, { limit: 50, ...options }).conversations.map(({ id }) => id);
const actions = () => listAudit(test.actors.owner, { limit: 50 }).entries.map(({ action }) => action);
const count = (table: string) => rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get();

it("renames, moves, pins and archives a conversation, and undoes the last two, each with its audit entry", () => {
  const { member } = test.actors;
  add("con_1");
  add("con_2", { updatedAt: NOW - DAY });
  const { id: folderId } = createFolder(member, { name: "Plans" });
  expect(changeConversation(member, "con_1", { title: "Tides", pinned: true, folderId })).toMatchObject({
    title: "Tides",
    pinned: true,
    archived: false,
    folderId,
  });
  changeConversation(member, "con_1", { title: "Tides", pinned: true });
  expect(ids({ folderId })).toEqual(["con_1"]);
  changeConversations(member, ["con_1", "con_2"], { archived: true });
  expect(ids()).toEqual([]);
  expect(ids({ archived: true })).toEqual(["con_1", "con_2"]);
  changeConversation(member, "con_1", { pinned: false, archived: false });
  expect(ids()).toEqual(["con_1"]);
  expect(actions()).toEqual([
    "conversation.unarchived",
    "conversation.unpinned",
    "conversation.archived",
    "conversation.archived",
    "conversation.moved",
    "conversation.pinned",
    "conversation.renamed",
    "conversation_folder.created",
  ]);
});

it("keeps a person's conversations and folders from everyone else", () => {
  const { member, admin } = test.actors;
  add("con_1");
  const folder = createFolder(member, { name: "Plans" });
  add("con_2", { as: "admin" });
  expect(() => changeConversation(admin, "con_1", { pinned: true })).toThrow("Conversation not found");
  expect(() => deleteConversations(admin, ["con_2", "con_1"])).toThrow("Conversation not found");
  expect(readConversation(admin, "con_2").title).toBe("Title of con_2");
  expect(() => changeConversation(admin, "con_2", { folderId: folder.id })).toThrow("Folder not found");
  expect(() => updateFolder(admin, folder.id, { name: "Mine" })).toThrow("Folder not found");
  expect(() => deleteFolder(admin, folder.id)).toThrow("Folder not found");
});

it("keeps the conversations of a renamed and of a deleted folder, then without a folder", () => {
  const { member } = test.actors;
  add("con_1");
  const folder = createFolder(member, { name: "Plans" });
  changeConversation(member, "con_1", { folderId: folder.id });
  expect(() => createFolder(member, { name: "plans" })).toThrow("already have a folder");
  expect(updateFolder(member, folder.id, { name: "Old plans" })).toEqual({ ...folder, name: "Old plans" });
  expect(readConversation(member, "con_1").folderId).toBe(folder.id);
  deleteFolder(member, folder.id);
  expect(listFolders(member)).toEqual([]);
  expect(readConversation(member, "con_1").folderId).toBeNull();
  const resource = `conversation_folder:${folder.id}`;
  expect(listAudit(member, { limit: 9 }).entries).toMatchObject([
    { action: "conversation_folder.deleted", resource },
    { action: "conversation_folder.updated", resource },
    { action: "conversation.moved" },
    { action: "conversation_folder.created", resource },
  ]);
});

it("restores a deletion within ten minutes, then purges it", async () => {
  const { member } = test.actors;
  add("con_1", { question: "When is high water?" });
  add("con_2");
  const { deletedAt } = deleteConversations(member, ["con_1", "con_2"]);
  expect(ids()).toEqual([]);
  expect(() => readConversation(member, "con_1")).toThrow("Conversation not found");
  expect((await searchMessages(member, { q: "water", limit: 5 })).hits).toEqual([]);
  expect(() => restoreConversations(test.actors.admin, deletedAt)).toThrow("can't be restored");
  expect(restoreConversations(member, deletedAt)).toBe(2);
  expect(ids()).toEqual(["con_2", "con_1"]);
  deleteConversations(member, ["con_2"]);
  expect(restoreConversation(member, "con_2")).toMatchObject({ id: "con_2" });

  deleteConversations(member, ["con_1"]);
  expect(actions().slice(0, 2)).toEqual(["conversation.deleted", "conversation.restored"]);
  expect(await purgeConversations()).toBe(0);
  setClock(() => NOW + DAY);
  expect(() => restoreConversations(member, NOW)).toThrow("more than ten minutes ago");
  expect(await purgeConversations()).toBe(1);
  expect(["messages", "answer_events", "find_entries"].map(count)).toEqual([2, 1, 3]);
  expect(readConversation(member, "con_2").messages).toHaveLength(2);
});

it("neither lists nor restores what was left while it was written, and removes it", async () => {
  add("con_1", { deletedAt: whileWritten() });
  expect(listOwnConversations(test.actors.member, { limit: 5, deleted: true }).conversations).toEqual([]);
  expect(() => restoreConversation(test.actors.member, "con_1")).toThrow("more than ten minutes ago");
  setClock(() => NOW + 10 * MINUTE);
  expect(await purgeConversations()).toBe(0);
  setClock(() => NOW + 10 * MINUTE + 1);
  expect(await purgeConversations()).toBe(1);
});

it("counts the time of what a clock ahead deleted from when that is noticed", async () => {
  add("con_1");
  setClock(() => NOW + 400 * DAY);
  deleteConversations(test.actors.member, ["con_1"]);
  setClock(() => NOW);
  expect(await purgeConversations()).toBe(0);
  setClock(() => NOW + DAY);
  expect(await purgeConversations()).toBe(1);
});

it("finds own messages and answers by word prefix, newest first", async () => {
  const { member } = test.actors;
  add("con_1", { question: "When is high water?", answer: "At noon, says the **almanac**." });
  add("con_2", { as: "admin", question: "High water again?" });
  add("con_3", { question: "Is the water high?", answer: "Yes." });
  const found = async (q: string, options = {}) => searchMessages(member, { q, limit: 10, ...options });
  expect((await found("high wat")).hits.map(({ messageId }) => messageId)).toEqual(["con_3_0", "con_1_0"]);
  expect((await found("ALMAN")).hits).toEqual([
    {
      conversationId: "con_1",
      title: "Title of con_1",
      messageId: "con_1_1",
      role: "assistant",
      timestamp: new Date(NOW).toISOString(),
      excerpt: [
        { text: "At noon, says the ", hit: false },
        { text: "almanac", hit: true },
        { text: ".", hit: false },
      ],
    },
  ]);
  const first = await found("water", { limit: 1 });
  expect(first.hits[0]?.messageId).toBe("con_3_0");
  expect((await found("water", { limit: 1, cursor: first.next })).hits[0]?.messageId).toBe("con_1_0");
  for (const blank of ["", " ", '"', "*"]) expect((await found(blank)).hits).toEqual([]);
  expect((await found('high" OR water*')).hits).toEqual([]);
});

it("lists pinned conversations, the others by the age of their last use, and those of open folders", () => {
  const { member, viewer } = test.actors;
  add("con_today");
  add("con_week", { updatedAt: NOW - 2 * DAY });
  add("con_older", { updatedAt: NOW - 20 * DAY });
  add("con_pinned", { updatedAt: NOW - 30 * DAY });
  add("con_archived");
  changeConversation(member, "con_pinned", { pinned: true });
  changeConversation(member, "con_archived", { archived: true });
  const { id: folder } = createFolder(member, { name: "Plans" });
  add("con_filed");
  changeConversation(member, "con_filed", { folderId: folder });
  const { conversations, folders } = listNavigation(member);
  expect(folders).toEqual([{ id: folder, name: "Plans", role: "owner", isOpen: false }]);
  const opened = listNavigation(member, [folder, "fld_other"]);
  expect(opened.folders).toEqual([{ id: folder, name: "Plans", role: "owner", isOpen: true }]);
  expect(opened.conversations.at(-1)).toMatchObject({ id: "con_filed", period: "folder", folderId: folder });
  expect(conversations.map(({ id, period }) => `${id} ${period}`)).toEqual([
    "con_pinned pinned",
    "con_today today",
    "con_week week",
    "con_older older",
  ]);
  expect(listNavigation(viewer, [folder])).toEqual({ conversations: [], folders: [] });
});
