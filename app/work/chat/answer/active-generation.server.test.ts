import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { insertConversation, insertMessage, listEventGroups } from "../chat.repo.server";
import { EventBuffer } from "./active-generation.server";

describe("the event buffer of running answers", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let eventBuffer: EventBuffer;
  beforeEach(() => {
    test = openTestDatabase();
    eventBuffer = new EventBuffer();
    const { orgId, userId } = test.actors.member;
    const at = { createdAt: 0, updatedAt: 0 };
    transaction((tx) => {
      insertConversation(tx, { id: "con_1", orgId, userId, title: "T", model: "m", settings: {}, ...at });
      const base = { conversationId: "con_1", role: "assistant" as const, parts: [], createdAt: 0 };
      insertMessage(tx, { id: "msg_1", position: 1, status: "streaming", ...base });
    });
  });
  afterEach(() => {
    eventBuffer.flush();
    test.close();
  });

  const stored = () => listEventGroups(db(), "msg_1", 0).map(({ firstId, lastId }) => [firstId, lastId]);

  it("commits pending events in one group", async () => {
    eventBuffer.add("msg_1", 1, '{"n":1}');
    eventBuffer.add("msg_1", 2, '{"n":2}');
    await Promise.all([eventBuffer.flushTogether(), eventBuffer.flushTogether()]);
    expect(stored()).toEqual([[1, 2]]);
    expect(eventBuffer.pendingOf("msg_1")).toBeUndefined();
  });

  it("keeps the events when the shared commit fails", async () => {
    const exec = rawDatabase().exec.bind(rawDatabase());
    const failing = vi.spyOn(rawDatabase(), "exec").mockImplementation((sql) => {
      if (sql === "COMMIT") throw new Error("disk full");
      return exec(sql);
    });
    eventBuffer.add("msg_1", 1, '{"n":1}');
    const flushed = eventBuffer.flushTogether();
    await flushed;
    eventBuffer.add("msg_1", 2, '{"n":2}');
    expect(stored()).toEqual([]);
    expect(eventBuffer.pendingOf("msg_1")).toEqual({ firstId: 1, events: ['{"n":1}', '{"n":2}'] });
    failing.mockRestore();
    eventBuffer.flush();
    expect(stored()).toEqual([[1, 2]]);
  });

  it("retries a failed commit by itself", async () => {
    const failing = vi.spyOn(rawDatabase(), "exec").mockImplementation(() => {
      throw new Error("disk full");
    });
    eventBuffer.add("msg_1", 1, '{"n":1}');
    expect(() => eventBuffer.flush()).toThrow("disk full");
    expect(eventBuffer.pendingOf("msg_1")).toEqual({ firstId: 1, events: ['{"n":1}'] });
    failing.mockRestore();
    await expect.poll(() => stored()).toEqual([[1, 1]]);
  });
});
