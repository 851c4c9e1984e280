import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { db, rawDatabase } from "~/core/db.server";
import { log } from "~/core/log.server";
import { messages, usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { insertConversation, insertMessage } from "../chat.repo.server";
import { followAnswer, openConversation, readConversation } from "../conversations.service.server";
import { allowAnswers } from "./active-generation.server";
import { startGeneration, stopAllAnswers } from "./answers.server";
import type { AnswerPlan } from "./run-answer.server";

let store: ReturnType<typeof openTestDatabase>;
let byToken: Actor;

beforeEach(() => {
  store = openTestDatabase();
  byToken = { ...store.actors.member, kind: "token", scopes: ["chat.use"], tokenId: "tok_1" };
});

afterEach(async () => {
  await stopAllAnswers();
  allowAnswers();
  store.close();
});

/** The upstream sends nothing until it is disconnected. */
const silent = {
  specificationVersion: "v3",
  provider: "far",
  modelId: "m",
  supportedUrls: {},
  doStream: ({ abortSignal }: LanguageModelV3CallOptions) =>
    new Promise((_, reject) => {
      const leave = () => reject(new Error("left"));
      if (abortSignal?.aborted) leave();
      else abortSignal?.addEventListener("abort", leave);
    }),
} as unknown as LanguageModelV3;

function begin(actor: Actor) {
  const id = `con_${actor.tokenId ?? "session"}`;
  const at = { createdAt: 1, updatedAt: 1 };
  insertConversation(db(), { id, orgId: actor.orgId, userId: actor.userId, title: "t", model: "m", ...at });
  insertMessage(db(), {
    id: `msg_${id}`,
    conversationId: id,
    position: 0,
    role: "assistant",
    status: "streaming",
    parts: [],
    createdAt: 1,
  });
  const plan = {
    model: {
      modelId: "m",
      open: silent.doStream,
    },
    prompt: [],
    tools: [],
    maxSteps: 1,
    source: "chat",
  } as unknown as AnswerPlan;
  return startGeneration(actor, { conversationId: id, messageId: `msg_${id}`, lastEventId: 0 }, plan);
}

it("ends the answers of a revoked token, and no others", async () => {
  const tokens = begin(byToken);
  const persons = begin(store.actors.member);
  accessChanged("usr_member", { tokenId: "tok_2" });
  accessChanged("usr_admin", { tokenId: "tok_1" });
  expect(tokens.signal.aborted).toBe(false);
  accessChanged("usr_member", { tokenId: "tok_1" });
  await tokens.done;
  expect(tokens.stopReason).toBe("revoked");
  expect(persons.signal.aborted).toBe(false);
});

it("ends all answers of a person whose rights change", async () => {
  const answers = [begin(byToken), begin(store.actors.member)];
  accessChanged("usr_member");
  await Promise.all(answers.map(({ done }) => done));
  expect(answers.map(({ stopReason }) => stopReason)).toEqual(["revoked", "revoked"]);
});

it("stops a revoked token's stream while the answer continues", () => {
  const answer = begin(store.actors.member);
  const heard = vi.fn();
  const leave = followAnswer(byToken, answer.conversationId, 0, heard);
  accessChanged("usr_member", { tokenId: "tok_2" });
  expect(heard).not.toHaveBeenCalled();
  accessChanged("usr_member", { tokenId: "tok_1" });
  expect(heard).toHaveBeenCalledExactlyOnceWith(undefined);
  expect(answer.signal.aborted).toBe(false);
  leave?.();
  accessChanged("usr_member", { tokenId: "tok_1" });
  expect(heard).toHaveBeenCalledOnce();
});

it("leaves an answer unread until its owner opens it, also where a page was connected to its end", async () => {
  const { member } = store.actors;
  const answer = begin(member);
  followAnswer(member, answer.conversationId, 0, vi.fn());
  answer.stop("stopped");
  await answer.done;
  const activity = () => readConversation(member, answer.conversationId).activity;
  openConversation({ ...byToken, scopes: ["chat.use", "screens.read"] }, answer.conversationId);
  expect(activity()).toBe("unread");
  openConversation(member, answer.conversationId);
  expect(activity()).toBe(null);
});

it("shows a page that is loaded meanwhile what the answer waits for, until something of it comes", () => {
  const { member } = store.actors;
  const answer = begin(member);
  const waiting = () => readConversation(member, answer.conversationId).messages.at(-1)?.waiting;
  answer.emit({ type: "data-waiting", data: { text: "Waiting for Far…" }, transient: true });
  expect(waiting()).toBe("Waiting for Far…");
  answer.emit({ type: "text-start", id: "0" });
  expect(waiting()).toBeUndefined();
});

it("marks an API client's answer as read", async () => {
  const answer = begin(byToken);
  followAnswer(byToken, answer.conversationId, 0, vi.fn());
  answer.stop("stopped");
  await answer.done;
  expect(readConversation(store.actors.member, answer.conversationId).activity).toBe(null);
});

/** Makes every write of the columns fail, as on a full disk. */
const breakWrites = (columns: string) =>
  rawDatabase().exec(
    `CREATE TRIGGER broken BEFORE UPDATE OF ${columns} ON messages BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
  );
const repairWrites = () => rawDatabase().exec("DROP TRIGGER broken");
const storedAnswer = (conversationId: string) =>
  db()
    .select({ status: messages.status, finishedAt: messages.finishedAt })
    .from(messages)
    .where(eq(messages.conversationId, conversationId))
    .get();

it("stores the end of an answer again after a database error, with one usage record", async () => {
  const answer = begin(store.actors.member);
  breakWrites("status");
  const warn = vi.spyOn(log, "warn").mockImplementationOnce(repairWrites);
  answer.stop("stopped");
  await answer.done;
  expect(warn).toHaveBeenCalledOnce();
  expect(storedAnswer(answer.conversationId)).toMatchObject({ status: "stopped" });
  expect(db().select({ outcome: usageRecords.outcome }).from(usageRecords).all()).toEqual([
    { outcome: "stopped" },
  ]);
});

describe("an answer whose end can't be stored", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(log, "warn").mockReturnValue();
    vi.spyOn(log, "error").mockReturnValue();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Advances fake time until the answer has ended. */
  async function untilDone({ done }: ReturnType<typeof begin>) {
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    while (!isDone) await vi.advanceTimersByTimeAsync(250);
  }

  it("is marked as interrupted after the retries", async () => {
    const answer = begin(store.actors.member);
    // Recovery doesn't write the metrics.
    breakWrites("metrics");
    answer.stop("stopped");
    await untilDone(answer);
    expect(storedAnswer(answer.conversationId)).toEqual({
      status: "interrupted",
      finishedAt: expect.any(Number),
    });
  });

  it("is marked as interrupted once the database takes writes again", async () => {
    const answer = begin(store.actors.member);
    breakWrites("status");
    answer.stop("stopped");
    await untilDone(answer);
    expect(storedAnswer(answer.conversationId)).toMatchObject({ status: "streaming" });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(storedAnswer(answer.conversationId)).toMatchObject({ status: "streaming" });
    repairWrites();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(storedAnswer(answer.conversationId)).toMatchObject({ status: "interrupted" });
  });
});
