import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { allowAnswers, findActiveGeneration } from "./answer/active-generation.server";
import { stopAllAnswers } from "./answer/answers.server";
import {
  branchConversation,
  continueAnswer,
  editMessage,
  regenerateAnswer,
  selectVariant,
} from "./branches.service.server";
import { countMessages, insertConversation, updateConversation, updateMessage } from "./chat.repo.server";
import { sendMessage, storeMessage, textPart } from "./chat.service.server";
import { listOwnConversations, listOwnMessages, readConversation } from "./conversations.service.server";
import { rateAnswer } from "./ratings.service.server";
import { readConversationPage } from "./screen.service.server";

const MODEL = "quarterdeck-offline";
const OPTIONS = { model: MODEL, tools: [], maxSteps: 1 };

let test: ReturnType<typeof openTestDatabase>;
let member: Actor;
beforeEach(() => {
  test = openTestDatabase();
  member = test.actors.member;
});
afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

async function send(content: string, conversationId?: string): Promise<string> {
  const messages = [{ role: "user" as const, content }];
  const begun = await sendMessage(member, {
    ...OPTIONS,
    messages,
    ...(conversationId && { conversationId }),
  });
  await findActiveGeneration(begun.conversationId)?.done;
  return begun.conversationId;
}

const path = (id: string) => readConversation(member, id).messages;
const texts = (id: string) => path(id).flatMap(({ role, content }) => (role === "user" ? [content] : []));
const settled = (id: string) => findActiveGeneration(id)?.done;
const actions = () => listAudit(test.actors.owner, { limit: 20 }).entries.map(({ action }) => action);

describe("an edited message", () => {
  it("becomes a variant, and each variant keeps its own continuation", async () => {
    const id = await send("one");
    await send("two", id);
    const [first] = path(id);
    await editMessage(member, id, { ...OPTIONS, messageId: first?.id ?? "", content: "uno" });
    await settled(id);
    expect(texts(id)).toEqual(["uno"]);
    const [edited] = path(id);
    expect(edited).toMatchObject({ parentId: null, variants: [first?.id, edited?.id] });
    selectVariant(member, id, first?.id ?? "");
    expect(texts(id)).toEqual(["one", "two"]);
    await send("three", id);
    expect(texts(id)).toEqual(["one", "two", "three"]);
    selectVariant(member, id, edited?.id ?? "");
    selectVariant(member, id, first?.id ?? "");
    expect(texts(id)).toEqual(["one", "two", "three"]);
    expect(actions()).toContain("conversation.edited");
  });

  it("can't be an answer, another conversation's, or one that is being answered", async () => {
    const id = await send("one");
    const other = await send("other");
    const [question, answer] = path(id);
    const edit = (conversation: string, messageId = "") =>
      editMessage(member, conversation, { ...OPTIONS, messageId, content: "uno" });
    await expect(edit(id, answer?.id)).rejects.toMatchObject({ code: "conflict" });
    await expect(edit(other, question?.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(
      editMessage(test.actors.admin, id, { ...OPTIONS, messageId: question?.id ?? "", content: "uno" }),
    ).rejects.toMatchObject({ code: "not_found" });
    const both = await Promise.allSettled([edit(id, question?.id), edit(id, question?.id)]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(() => selectVariant(member, id, question?.id ?? "")).toThrow(/still being written/);
  });
});

describe("a regenerated answer", () => {
  it("is a variant of the first, also in the middle of a conversation", async () => {
    const id = await send("one");
    await send("two", id);
    const [, answer] = path(id);
    await regenerateAnswer(member, id, { ...OPTIONS, messageId: answer?.id ?? "" });
    await settled(id);
    expect(texts(id)).toEqual(["one"]);
    const again = path(id).at(-1);
    expect(again?.variants).toEqual([answer?.id, again?.id]);
    const resource = `conversation:${id}`;
    expect(listAudit(test.actors.owner, { limit: 20 }).entries).toMatchObject([
      { action: "conversation.regenerated", resource, details: { model: MODEL } },
      { action: "conversation.continued", resource, details: { model: MODEL, tools: [] } },
      { action: "conversation.created", resource, details: { model: MODEL, tools: [] } },
    ]);
    selectVariant(member, id, answer?.id ?? "");
    expect(texts(id)).toEqual(["one", "two"]);
    await expect(
      regenerateAnswer(member, id, { ...OPTIONS, messageId: path(id)[0]?.id ?? "" }),
    ).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("an answer that was cut off", () => {
  it("goes on as a variant that begins with it, and one that is whole doesn't", async () => {
    const id = await send("one");
    await expect(continueAnswer(member, id, {})).rejects.toMatchObject({ code: "conflict" });
    const cut = path(id).at(-1)?.id ?? "";
    updateMessage(db(), cut, { status: "stopped", parts: textPart("The first ha") });
    await continueAnswer(member, id, { messageId: cut });
    await settled(id);
    const whole = path(id).at(-1);
    expect(whole).toMatchObject({ status: "complete", variants: [cut, whole?.id] });
    expect(whole?.content).toMatch(/^The first \S/);
    expect(actions()).toContain("conversation.answer_continued");
    updateMessage(db(), cut, { parts: [] });
    const others = [{ messageId: cut }, { messageId: path(id)[0]?.id ?? "" }];
    for (const input of others)
      await expect(continueAnswer(member, id, input)).rejects.toMatchObject({ code: "conflict" });
  });
});

it("a conversation is branched with the path up to a message, and both continue independently", async () => {
  const id = await send("one");
  await send("two", id);
  const [, answer] = path(id);
  const copy = await branchConversation(member, id, answer?.id ?? "");
  expect(path(copy).map(({ content }) => content)).toEqual(
    path(id)
      .slice(0, 2)
      .map(({ content }) => content),
  );
  await send("other", copy);
  expect([texts(id), texts(copy)]).toEqual([
    ["one", "two"],
    ["one", "other"],
  ]);
  expect(actions()).toContain("conversation.branched");
  const titleOf = (conversation: string) => readConversation(member, conversation).title;
  const others = await Promise.all(
    [id, copy].map((from) => branchConversation(member, from, path(from)[1]?.id ?? "")),
  );
  expect([id, copy].map(titleOf)).toEqual(["one", "one (branch)"]);
  // Both at once: which is the first is open.
  expect(new Set(others.map(titleOf))).toEqual(new Set(["one (branch 2)", "one (branch 3)"]));
  transaction((tx) => updateConversation(tx, id, { title: "é".repeat(200) }));
  const long = titleOf(await branchConversation(member, id, answer?.id ?? ""));
  expect(long).toMatch(/^é+ \(branch\)$/);
  expect(long.length).toBeLessThanOrEqual(200);
  await expect(branchConversation(test.actors.admin, id, answer?.id ?? "")).rejects.toThrow("not found");
});

it("an answer has one rating per reader, which can be changed and removed", async () => {
  const id = await send("one");
  const [question, answer] = path(id);
  const rate = (rating: "up" | "down" | null, comment: string | null = null) =>
    rateAnswer(member, id, { messageId: answer?.id ?? "", rating, comment });
  rate("up");
  rate("down", "Too long");
  expect(path(id)[1]?.feedback).toEqual({ rating: "down", comment: "Too long", shared: false });
  rate(null);
  expect(path(id)[1]?.feedback).toBeNull();
  const onQuestion = { messageId: question?.id ?? "", rating: "up" as const, comment: null };
  expect(() => rateAnswer(member, id, onQuestion)).toThrow("Only answers can be rated.");
  expect(() => rateAnswer(test.actors.admin, id, onQuestion)).toThrow("not found");
});

describe("a long conversation", () => {
  const ids = Array.from({ length: 1200 }, (_, index) => `msg_${index}`);
  beforeEach(() => {
    const { orgId, userId } = member;
    transaction((tx) => {
      const row = { id: "con_long", orgId, userId, title: "T", model: MODEL, settings: {} };
      insertConversation(tx, { ...row, createdAt: 1, updatedAt: 1 });
      for (const [position, id] of ids.entries()) {
        const role = position % 2 === 0 ? ("user" as const) : ("assistant" as const);
        storeMessage(tx, { id, conversationId: "con_long", position, role }, textPart(id));
      }
    });
  });

  const page = async (query: { before?: string; message?: string } = {}) => {
    const { conversation } = await readConversationPage(member, "con_long", query);
    const { messages, hasEarlier, hasLater, isActiveBranch, messageCount } = conversation;
    expect(messageCount).toBe(1200);
    return { shown: messages.map(({ id }) => id), hasEarlier, hasLater, isActiveBranch };
  };

  it("opens with its last fifty messages, and shows older ones and those around one", async () => {
    const whole = { hasEarlier: true, hasLater: true, isActiveBranch: true };
    expect(await page()).toEqual({ ...whole, shown: ids.slice(-50), hasLater: false });
    expect(await page({ before: "msg_1150" })).toEqual({ ...whole, shown: ids.slice(1100, 1150) });
    expect(await page({ before: "msg_10" })).toEqual({
      ...whole,
      shown: ids.slice(0, 10),
      hasEarlier: false,
    });
    expect(await page({ message: "msg_100" })).toEqual({ ...whole, shown: ids.slice(76, 126) });
    await expect(page({ message: "msg_none" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("opens a message of another branch on that branch", async () => {
    await editMessage(member, "con_long", { ...OPTIONS, messageId: "msg_1198", content: "changed" });
    await settled("con_long");
    const { shown, ...rest } = await page({ message: "msg_1199" });
    expect(shown.slice(-2)).toEqual(["msg_1198", "msg_1199"]);
    expect(rest).toEqual({ hasEarlier: true, hasLater: false, isActiveBranch: false });
  });

  it("is paged without missing or repeating messages", () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { messages, next } = listOwnMessages(member, "con_long", { limit: 200, cursor });
      seen.push(...messages.map(({ id }) => id));
      cursor = next;
    } while (cursor);
    expect(seen).toEqual(ids.toReversed());
  });

  it("is read without its other messages", async () => {
    rawDatabase().exec("UPDATE messages SET parts = '[{}]' WHERE position < 1150");
    expect((await page()).shown).toEqual(ids.slice(-50));
  });

  it("is branched in many turns, and its copy is shown once it is whole", async () => {
    const listed = () =>
      [{}, { deleted: true }].flatMap((which) =>
        listOwnConversations(member, { limit: 10, ...which }).conversations.map(({ id }) => id),
      );
    let turns = 0;
    let isCopied = false;
    const copying = branchConversation(member, "con_long", "msg_1199").finally(() => {
      isCopied = true;
    });
    while (!isCopied) {
      expect(listed()).toEqual(["con_long"]);
      turns += 1;
      await new Promise(setImmediate);
    }
    expect(turns).toBeGreaterThan(5);
    const copy = await copying;
    expect(listed().toSorted()).toEqual(["con_long", copy].toSorted());
    expect(countMessages(db(), copy)).toBe(1200);
  });

  it("is deleted with its conversation", () => {
    rawDatabase().exec("DELETE FROM conversations WHERE id = 'con_long'");
    expect(rawDatabase().prepare("SELECT count(*) FROM messages").pluck().get()).toBe(0);
  });
});
