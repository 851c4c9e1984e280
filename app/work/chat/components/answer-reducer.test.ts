import { expect, it } from "vitest";
import type { Conversation } from "../chat.schema";
import { isUnsent, message, reduce, stateOf } from "./answer-reducer";

const question = message("user", "Why?");
const sent = reduce(stateOf(undefined), {
  type: "sent",
  messages: [question],
  answer: message("assistant", ""),
});
const stored = { ...message("assistant", "Because."), id: "msg_2", status: "complete" as const };
const conversation = {
  id: "con_1",
  messages: [question, stored],
  hasEarlier: false,
} as unknown as Conversation;

it("shows the stored answer to a message whose connection was lost before the answer's first event", () => {
  const lost = reduce(sent, { type: "refused", detail: "The connection was lost.", isSent: true });
  expect(lost.messages.at(-1)).toMatchObject({ status: "failed", error: "The connection was lost." });
  expect(isUnsent(lost)).toBe(false);
  expect(reduce(lost, { type: "loaded", conversation }).messages.at(-1)).toEqual(stored);
});

it("keeps a message that the server refused over a load", () => {
  expect(isUnsent(reduce(sent, { type: "refused", detail: "The budget is used up." }))).toBe(true);
});
