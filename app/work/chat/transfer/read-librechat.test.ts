import { expect, it } from "vitest";
import { LibreChatConversation, readLibreChat } from "./read-librechat";

const message = (messageId: string, parentMessageId: string | null, createdAt?: string) => ({
  messageId,
  parentMessageId,
  text: messageId.toUpperCase(),
  isCreatedByUser: parentMessageId === null,
  ...(createdAt ? { createdAt } : {}),
});
const read = (rest: object) =>
  readLibreChat(LibreChatConversation.parse({ conversationId: "c1", title: "Plan", ...rest }));

it("dates a conversation without dates by its first and last message", () => {
  const messages = [
    message("ask", null, "2026-01-02T03:04:05.000Z"),
    message("answer", "ask", "2026-01-02T03:05:00.000Z"),
  ];
  expect(read({ messages })).toMatchObject({
    title: "Plan",
    createdAt: Date.parse("2026-01-02T03:04:05.000Z"),
    updatedAt: Date.parse("2026-01-02T03:05:00.000Z"),
  });
  const own = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-03T00:00:00.000Z" };
  const dated = read({ messages, ...own });
  expect([dated.createdAt, dated.updatedAt], "its own dates come first").toEqual(
    [own.createdAt, own.updatedAt].map((at) => Date.parse(at)),
  );
});

it("imports a conversation that has no date at all", () => {
  const undated = read({ messages: [message("ask", null)] });
  expect([undated.createdAt, undated.updatedAt]).toEqual([null, null]);
  expect(undated.messages.map(({ text }) => text)).toEqual(["ASK"]);
  expect(read({ messages: [] }).messages).toEqual([]);
});
