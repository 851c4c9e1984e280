import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { comparisons, conversations, messages, usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { allowAnswers, findActiveGeneration } from "./answer/active-generation.server";
import { recoverAnswers, stopAllAnswers } from "./answer/answers.server";
import { regenerateAnswer } from "./branches.service.server";
import { listStreaming } from "./chat.repo.server";
import { sendMessage } from "./chat.service.server";
import {
  beginCompared,
  continueCompared,
  listCompared,
  readCompared,
  stopCompared,
} from "./compared.service.server";
import { listOwnConversations, readConversation } from "./conversations.service.server";

const MODEL = "quarterdeck-offline";

let store: ReturnType<typeof openTestDatabase>;
let member: Actor;
beforeEach(() => {
  store = openTestDatabase();
  member = store.actors.member;
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  store.close();
});

function begin(prompt = "Which one is best?", models = [MODEL, MODEL]) {
  return beginCompared(member, { prompt, models }, (tx) => {
    const { orgId, userId } = member;
    tx.insert(comparisons).values({ id: "cmp_1", orgId, userId, prompt, createdAt: 1 }).run();
    return "cmp_1";
  });
}

const answers = () => readCompared(member, "cmp_1");

async function ended() {
  await expect.poll(() => answers().map(({ answer }) => answer.status)).not.toContain("streaming");
  return answers();
}

describe("a comparison's answers", () => {
  it("are conversations that the chat doesn't list, metered as a comparison's", async () => {
    await begin();
    const [first, second] = await ended();
    expect(first).toMatchObject({ model: MODEL, answer: { role: "assistant", status: "complete" } });
    expect(first?.answer.content).not.toBe("");
    expect(second?.conversationId).not.toBe(first?.conversationId);
    expect(listOwnConversations(member, { limit: 10 }).conversations).toEqual([]);
    const sources = db().select({ source: usageRecords.source }).from(usageRecords).all();
    expect(sources).toEqual([{ source: "comparison" }, { source: "comparison" }]);
  });

  it("store nothing if a model is unavailable", async () => {
    await expect(begin("Which?", [MODEL, "no-such-model"])).rejects.toThrow(/no-such-model/);
    expect(db().select().from(comparisons).all()).toEqual([]);
    expect(db().select().from(conversations).all()).toEqual([]);
  });

  it("are stopped together, keeping their texts", async () => {
    await begin("a long story ".repeat(300));
    await expect.poll(() => listCompared(member, ["cmp_1"]).get("cmp_1")?.running).toBe(true);
    await stopCompared(member, "cmp_1");
    expect(answers().map(({ answer }) => answer.status)).toEqual(["stopped", "stopped"]);
    expect(listCompared(member, ["cmp_1"]).get("cmp_1")).toEqual({ models: [MODEL, MODEL], running: false });
  });

  it("are recorded as the comparison's after a crash", async () => {
    await begin();
    const written = listStreaming(db());
    expect(written).toHaveLength(2);
    await ended();
    db().delete(usageRecords).run();
    // As the next process finds them.
    db().update(messages).set({ status: "streaming" }).where(eq(messages.role, "assistant")).run();
    expect(recoverAnswers().count).toBe(2);
    expect(db().select({ source: usageRecords.source }).from(usageRecords).all()).toEqual([
      { source: "comparison" },
      { source: "comparison" },
    ]);
  });

  it("stay unchanged: a continuation works on a copy", async () => {
    await begin("Which one?");
    const [{ conversationId } = { conversationId: "" }] = answers();
    expect(findActiveGeneration(conversationId)).toBeDefined();
    await expect(continueCompared(member, conversationId)).rejects.toThrow(/still being written/);
    await ended();
    const message = { messages: [{ role: "user" as const, content: "And why?" }], model: MODEL, maxSteps: 1 };
    await expect(sendMessage(member, { ...message, conversationId })).rejects.toThrow(/part of a comparison/);
    await expect(regenerateAnswer(member, conversationId, { maxSteps: 1 })).rejects.toThrow(
      /part of a comparison/,
    );
    const copy = await continueCompared(member, conversationId);
    expect(listOwnConversations(member, { limit: 10 }).conversations.map(({ id }) => id)).toEqual([copy]);
    expect(listAudit(member, { limit: 9 }).entries).toMatchObject([
      {
        action: "conversation.created",
        resource: `conversation:${copy}`,
        details: { model: MODEL, comparison: "cmp_1" },
      },
    ]);
    const texts = readConversation(member, copy).messages.map(({ content }) => content);
    expect(texts).toEqual(["Which one?", answers()[0]?.answer.content]);
    await sendMessage(member, { ...message, conversationId: copy });
    expect(readConversation(member, copy).messages).toHaveLength(4);
    expect(readConversation(member, conversationId).messages).toHaveLength(2);
    await expect(continueCompared(member, copy)).rejects.toThrow(/Answer not found/);
  });

  it("are visible to their owner only", async () => {
    await begin();
    const [{ conversationId } = { conversationId: "" }] = answers();
    await ended();
    expect(readCompared(store.actors.admin, "cmp_1")).toEqual([]);
    await expect(continueCompared(store.actors.admin, conversationId)).rejects.toThrow(
      /Conversation not found/,
    );
    await expect(stopCompared(store.actors.viewer, "cmp_1")).rejects.toThrow(/Viewers can.t chat/);
  });
});
