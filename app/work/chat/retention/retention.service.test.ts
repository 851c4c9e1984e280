import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { conversationImports, importedConversations } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { insertConversation, insertMessage, type MessageRow, updateConversation } from "../chat.repo.server";
import { purgeConversations } from "../list/list.service.server";
import { countExpired, deleteExpired, hasExpired } from "./retention.service.server";

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

const keepFor = (conversationRetention: number) =>
  updateSettings(test.actors.admin, "security", { conversationRetention });

function add(id: string, days: number, status: MessageRow["status"] = "complete") {
  const { orgId, userId } = test.actors.member;
  const at = NOW - days * DAY;
  transaction((tx) => {
    insertConversation(tx, { id, orgId, userId, title: id, model: "m", createdAt: 1, updatedAt: at });
    const answer = { role: "assistant" as const, status, parts: [], createdAt: at };
    insertMessage(tx, { id: `${id}_1`, conversationId: id, position: 1, ...answer });
  });
}

const kept = () =>
  rawDatabase().prepare("SELECT id FROM conversations WHERE deleted_at IS NULL ORDER BY id").pluck().all();

it("deletes what was used last before the retention, whatever its state, as its owner would", async () => {
  add("new", 29);
  add("old", 31);
  add("pinned", 31);
  updateConversation(db(), "pinned", { pinnedAt: NOW, archivedAt: NOW, unreadAt: NOW });
  keepFor(30);
  expect(countExpired(test.actors.admin, 30)).toBe(2);
  expect(() => countExpired(test.actors.member, 30)).toThrow();
  expect(deleteExpired()).toBe(2);
  expect([deleteExpired(), hasExpired(), kept()]).toEqual([0, false, ["new"]]);
  const entry = { action: "conversation.deleted", userId: "system", details: { retentionDays: 30 } };
  expect(listAudit(test.actors.owner, { limit: 2 }).entries).toMatchObject([
    { ...entry, resource: "conversation:pinned" },
    { ...entry, resource: "conversation:old" },
  ]);
  setClock(() => NOW + DAY);
  await purgeConversations();
  expect(rawDatabase().prepare("SELECT id FROM messages").pluck().all()).toEqual(["new_1"]);
});

it("keeps everything without a retention", () => {
  add("old", 4000);
  expect([hasExpired(), deleteExpired(), kept()]).toEqual([false, 0, ["old"]]);
});

it("spares an answer that runs or waits for an approval", () => {
  add("running", 31, "streaming");
  add("waiting", 31, "waiting");
  add("stopped", 31, "stopped");
  keepFor(30);
  expect([deleteExpired(), kept()]).toEqual([1, ["running", "waiting"]]);
});

it("counts an import as a use", () => {
  const { orgId, userId } = test.actors.member;
  const importOf = (id: string, days: number) => {
    add(id, 1000);
    transaction((tx) => {
      const at = NOW - days * DAY;
      const row = { id: `imp_${id}`, orgId, userId, fileName: "f", state: "done" as const };
      tx.insert(conversationImports)
        .values({ ...row, report: {}, createdAt: at })
        .run();
      tx.insert(importedConversations)
        .values({ userId, source: id, conversationId: id, importId: `imp_${id}` })
        .run();
    });
  };
  importOf("lately", 29);
  importOf("long-ago", 31);
  keepFor(30);
  expect([deleteExpired(), kept()]).toEqual([1, ["lately"]]);
});

it("deletes a large number in batches", () => {
  for (let index = 0; index < 51; index++) add(`con_${index}`, 31);
  keepFor(30);
  expect([deleteExpired(), deleteExpired(), deleteExpired()]).toEqual([50, 1, 0]);
});
