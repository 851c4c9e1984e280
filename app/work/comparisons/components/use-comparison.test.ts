import { expect, it } from "vitest";
import { UNREADABLE_ANSWER } from "~/ai/tools/stream-event.shared";
import type { ChatMessage } from "~/work/chat/chat.schema";
import type { ComparedAnswer } from "../comparisons.schema";
import { addEvents, failOpen, readColumnEvent } from "./use-comparison";

const columnOf = (status: ChatMessage["status"]) =>
  ({
    answer: { id: status, status, parts: [], content: "", error: null, metrics: null },
  }) as unknown as ComparedAnswer;

it("adds the events to the answers of their columns", () => {
  const events = [
    '{"column":1,"chunk":{"type":"text-start","id":"0"}}',
    '{"column":1,"chunk":{"type":"text-delta","id":"0","delta":"Hello"}}',
  ].flatMap((data) => readColumnEvent(data) ?? []);
  const answers = addEvents([columnOf("streaming"), columnOf("streaming")], events);
  expect(answers.map(({ answer }) => answer.content)).toEqual(["", "Hello"]);
});

it.each([
  "<html>",
  "null",
  "7",
  "{}",
  '{"column":0}',
  '{"column":0,"chunk":{}}',
  '{"chunk":{"type":"finish-step"}}',
])("refuses the event %j", (data) => expect(readColumnEvent(data)).toBeUndefined());

it("ends running answers with an error and leaves the others", () => {
  const answers = failOpen([columnOf("streaming"), columnOf("complete")]);
  expect(answers.map(({ answer }) => [answer.status, answer.error])).toEqual([
    ["failed", UNREADABLE_ANSWER],
    ["complete", null],
  ]);
});
