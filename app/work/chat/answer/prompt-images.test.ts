import { afterEach, beforeEach, expect, it } from "vitest";
import { keepResultFile } from "~/ai/tools/files/result-files.service.server";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import type { MessagePart } from "../chat.schema";
import { answerMessages, NO_IMAGES, readResultImages } from "./prompt.server";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>';

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  addConversation("con_1", []);
});
afterEach(() => test.close());

async function calls(contents: readonly Buffer[]): Promise<MessagePart[]> {
  const source = { kind: "chat" as const, conversationId: "con_1", messageId: "msg_1" };
  const parts: MessagePart[] = [];
  for (const [index, bytes] of contents.entries()) {
    const file = await keepResultFile(test.actors.member, source, { name: `${index}.png`, bytes });
    parts.push({
      type: "tool",
      toolCallId: `call_${index}`,
      toolName: "mcp-lab.draw",
      state: "done",
      input: {},
      output: { text: "Drawn", files: [file] },
    });
  }
  return parts;
}

it("adds a result's images as untrusted data", async () => {
  const parts = await calls([Buffer.from(PNG, "base64"), Buffer.from(SVG)]);
  const images = readResultImages(test.actors.member, parts, () => true);
  const messages = answerMessages({ parts }, images);
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
  expect(messages[2]?.content).toEqual([
    expect.objectContaining({ type: "text", text: expect.stringContaining("data from outside") }),
    { type: "file", mediaType: "image/png", data: PNG },
  ]);
});

it("sends the four newest, to models that read images, from the person's own conversation", async () => {
  const parts = await calls(Array.from({ length: 6 }, () => Buffer.from(PNG, "base64")));
  const { member, owner } = test.actors;
  expect([...readResultImages(member, parts, () => true).keys()].sort()).toEqual([
    "call_2",
    "call_3",
    "call_4",
    "call_5",
  ]);
  expect(readResultImages(member, parts, () => false)).toBe(NO_IMAGES);
  expect(readResultImages(owner, parts, () => true).size).toBe(0);
});

it("shows a model what it made itself, after its answer", async () => {
  const source = { kind: "chat" as const, conversationId: "con_1", messageId: "msg_1" };
  const bytes = Buffer.from(PNG, "base64");
  const file = await keepResultFile(test.actors.member, source, { name: "Image 1-1.png", bytes });
  if (!file) throw new Error("The image wasn't kept.");
  const parts: MessagePart[] = [
    { type: "step" },
    { type: "file", ...file },
    { type: "text", id: "t", text: "There." },
  ];
  const stepStates = [{ step: 1, writtenBy: "w", parts: { 0: { google: { thoughtSignature: "S" } } } }];
  const messages = answerMessages(
    { parts, stepStates },
    readResultImages(test.actors.member, parts, () => true),
  );
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    [
      "assistant",
      [
        { type: "text", text: "There.", providerOptions: { google: { thoughtSignature: "S" } } },
        { type: "text", text: '[Image "Image 1-1.png"]' },
      ],
    ],
    [
      "user",
      [
        expect.objectContaining({ text: expect.stringContaining('Image "Image 1-1.png" of your answer.') }),
        { type: "file", mediaType: "image/png", data: PNG },
      ],
    ],
  ]);
});
