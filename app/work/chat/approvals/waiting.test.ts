import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { emptyAnswer } from "../answer-state.shared";
import { chatJobs } from "../chat.jobs.server";
import { insertConversation, insertMessage, updateMessage } from "../chat.repo.server";
import type { ToolPart } from "../chat.schema";
import { notifyWaiting } from "./waiting.server";

const CALL: ToolPart = {
  type: "tool",
  toolCallId: "call_1",
  toolName: "kv.set",
  state: "waiting",
  input: {},
  approval: { reason: "policy" },
};
const ANSWER = { conversationId: "con_1", messageId: "msg_1" };

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  const { orgId, userId } = test.actors.member;
  const row = { orgId, userId, model: "m", settings: {}, createdAt: 1, updatedAt: 1 };
  transaction((tx) => {
    insertConversation(tx, { id: "con_1", title: "Colors", ...row });
    const message = { id: "msg_1", conversationId: "con_1", position: 0, role: "assistant" as const };
    insertMessage(tx, { ...message, status: "waiting", parts: [CALL], createdAt: 1 });
  });
});
afterEach(() => {
  setClock();
  test.close();
});

const listed = () => pageNotifications(test.actors.member, { limit: 5, unread: false }).notifications;

function waitFor(isFollowed: boolean): void {
  const state = { ...emptyAnswer(), parts: [CALL] };
  transaction((tx) => notifyWaiting(tx, { ...ANSWER, actor: test.actors.member, isFollowed, state }));
}

async function passMinute(): Promise<void> {
  const time = Date.now() + 61_000;
  setClock(() => time);
  const stop = startJobs(chatJobs);
  const state = rawDatabase().prepare("SELECT state FROM jobs WHERE kind = 'chat.remind-waiting'").pluck();
  await expect.poll(() => state.get()).toBe("succeeded");
  await stop();
}

const notice = { event: "approval.waiting", link: "/chat/con_1", body: "Tools: kv.set" };

it("notifies at once of an answer that no page shows", () => {
  waitFor(false);
  expect(listed()).toMatchObject([notice]);
});

it("notifies of an answer on an open page if it still waits a minute later", async () => {
  waitFor(true);
  expect(listed()).toEqual([]);
  await passMinute();
  expect(listed()).toMatchObject([notice]);
});

it.each([
  ["ended", { status: "complete" as const }],
  ["went on to another call", { parts: [CALL, { ...CALL, toolCallId: "call_2" }] }],
])("doesn't notify of an answer that %s within the minute", async (_, change) => {
  waitFor(true);
  transaction((tx) => updateMessage(tx, "msg_1", change));
  await passMinute();
  expect(listed()).toEqual([]);
});
