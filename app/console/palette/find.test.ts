import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { searchedWords } from "~/core/language/find-terms";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { insertConversation } from "~/work/chat/chat.repo.server";
import { findConversationsQuery } from "~/work/chat/list/list.repo.server";
import { conversations, messages } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { listMissingNeeds } from "./find.service.server";

describe("palette search", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    const { orgId, userId } = test.actors.member;
    const at = { createdAt: 1, updatedAt: 1 };
    transaction((tx) => {
      insertConversation(tx, {
        id: "con_1",
        orgId,
        userId,
        title: "Über Gezeiten",
        model: "m",
        settings: {},
        ...at,
      });
      for (const [position, role] of (["user", "assistant"] as const).entries()) {
        const text = role === "user" ? "When is high water?" : "At noon, says the almanac.";
        tx.insert(messages)
          .values({
            id: `msg_${position}`,
            conversationId: "con_1",
            position,
            role,
            status: "complete",
            parts: [{ type: "text", id: "0", text }],
            createdAt: 1,
          })
          .run();
      }
    });
  });
  afterEach(() => test.close());

  const find = (as: "member" | "admin", ...words: string[]) => {
    const { sql, params } = findConversationsQuery(db(), test.actors[as], searchedWords(words.join(" ")), 5);
    return rawDatabase()
      .prepare(sql)
      .pluck()
      .all(...params);
  };
  const entries = () => rawDatabase().prepare("SELECT count(*) FROM find_entries").pluck().get();

  it("matches own titles anywhere and own messages by word prefix", () => {
    expect(find("member", "zeiten")).toEqual(["con_1"]);
    expect(find("member", "high", "wat")).toEqual(["con_1"]);
    expect(find("member", "igh")).toEqual([]);
    expect(find("member", "almanac")).toEqual([]);
    expect(find("admin", "high")).toEqual([]);
  });

  it("follows changed titles and messages, and deletes entries with the conversation", () => {
    transaction((tx) => {
      tx.update(conversations).set({ title: "Tides" }).where(eq(conversations.id, "con_1")).run();
      tx.update(messages)
        .set({ parts: [{ type: "text", id: "0", text: "And low water?" }] })
        .where(eq(messages.id, "msg_0"))
        .run();
    });
    expect(find("member", "zeiten")).toEqual([]);
    expect(find("member", "tid")).toEqual(["con_1"]);
    expect(find("member", "high")).toEqual([]);
    expect(find("member", "low")).toEqual(["con_1"]);
    transaction((tx) => tx.delete(conversations).where(eq(conversations.id, "con_1")).run());
    expect(entries()).toBe(0);
  });

  it("knows what commands need that a person lacks: permissions, and switches turned off", () => {
    const { admin, member, viewer } = test.actors;
    expect(listMissingNeeds(admin)).toEqual([]);
    expect(listMissingNeeds(viewer)).toContain("chat.use");
    expect(listMissingNeeds(member)).not.toContain("security.allowTemporaryChats");
    updateSettings(admin, "security", { allowTemporaryChats: false });
    expect(listMissingNeeds(member)).toContain("security.allowTemporaryChats");
  });
});
