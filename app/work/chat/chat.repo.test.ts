import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import {
  deleteOldEvents,
  insertConversation,
  insertEvents,
  insertMessage,
  listEventGroups,
} from "./chat.repo.server";

describe("old events", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    const { orgId, userId } = test.actors.member;
    const at = { createdAt: 0, updatedAt: 0 };
    transaction((tx) => {
      insertConversation(tx, { id: "con_1", orgId, userId, title: "T", model: "m", settings: {}, ...at });
      for (const [position, finishedAt] of [99, 100, null].entries()) {
        const id = `msg_${finishedAt ?? "running"}`;
        const status = finishedAt === null ? ("streaming" as const) : ("complete" as const);
        const base = { conversationId: "con_1", role: "assistant" as const, parts: [], createdAt: 0 };
        insertMessage(tx, { id, position, status, finishedAt, ...base });
        insertEvents(tx, { messageId: id, firstId: 1, lastId: 1, events: "[{}]" });
        insertEvents(tx, { messageId: id, firstId: 2, lastId: 2, events: "[{}]" });
      }
    });
  });
  afterEach(() => test.close());

  it("are deleted only for answers that ended before the given time", () => {
    transaction((tx) => deleteOldEvents(tx, 100));
    const remaining = (id: string) => listEventGroups(db(), id, 0).length;
    expect([remaining("msg_99"), remaining("msg_100"), remaining("msg_running")]).toEqual([0, 2, 2]);
  });

  it("are found without reading every message", () => {
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    transaction((tx) => deleteOldEvents(tx, 100));
    const statement =
      prepare.mock.calls.map(([text]) => text).find((text) => text.startsWith("DELETE")) ?? "";
    prepare.mockRestore();
    const plan = rawDatabase().prepare(`EXPLAIN QUERY PLAN ${statement}`).all(100) as { detail: string }[];
    const details = plan.map(({ detail }) => detail).join("\n");
    expect(details).toMatch(/SEARCH messages USING INDEX/);
    expect(details).not.toMatch(/SCAN messages/);
  });
});
