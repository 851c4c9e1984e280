import { expect, it } from "vitest";
import { emptyAnswer } from "../answer-state.shared";
import type { MessagePart } from "../chat.schema";
import { foldChunk } from "../fold-answer.shared";
import { beginWith, repeatedEvents } from "./begun-answer";

const call = { type: "tool" as const, toolName: "kv.set", input: { key: "k" } };
const reason = "policy" as const;
const step = { type: "step" as const };
const text = (said: string, id = "0"): MessagePart => ({ type: "text", id, text: said });

it("repeats all that an answer holds, as its readers fold it", () => {
  const parts: MessagePart[] = [
    step,
    { type: "reasoning", id: "r", text: "Hm.", durationMs: 40 },
    text("Let me see."),
    { ...call, toolCallId: "1", state: "done", output: { ok: true } },
    { ...call, toolCallId: "2", state: "failed", error: "It broke." },
    {
      ...call,
      toolCallId: "3",
      state: "done",
      output: 1,
      approval: { reason, decision: "approved", edited: true },
    },
    { ...call, toolCallId: "4", state: "failed", error: "No.", approval: { reason, decision: "refused" } },
    {
      ...call,
      toolCallId: "5",
      state: "done",
      output: 1,
      questions: [
        { id: "q1", asker: "Lab", message: "Who?", end: { outcome: "accepted", content: { name: "Ada" } } },
        { id: "q2", asker: "Lab", message: "When?", end: { outcome: "expired" } },
      ],
    },
    step,
    text("Seen.", "1"),
  ];
  const stepStates = [{ step: 1, writtenBy: "prv_1/m", parts: {} }];
  const state = repeatedEvents(beginWith(parts, stepStates)).reduce(foldChunk, emptyAnswer());
  expect(state.parts).toEqual(parts);
  expect(state.stepStates).toEqual(stepStates);
});

it.each([
  ["half a word, which is written again", [step, text("One, tw")], "One, "],
  ["a line, which is whole", [step, text("One,\n")], "One,\n"],
  ["a word alone, which stays", [step, text("One")], "One"],
  ["writing without spaces, which stays", [step, text("一二三四")], "一二三四"],
  ["thoughts behind text", [step, text("One, tw"), { type: "reasoning", id: "r", text: "Hm" }], "One, "],
  [
    "a call, behind which a step begins",
    [step, text("One, tw"), { ...call, toolCallId: "1", state: "done" }],
    undefined,
  ],
  [
    "thoughts in a step of their own",
    [step, text("One"), step, { type: "reasoning", id: "r", text: "Hm" }],
    undefined,
  ],
] as [string, MessagePart[], string | undefined][])("goes on behind %s", (_, parts, ending) => {
  expect(beginWith(parts, []).ending?.text).toBe(ending);
});

it("ends the calls that had no result", () => {
  const questions = [{ id: "q", asker: "Lab", message: "Who?" }];
  const { parts } = beginWith([step, { ...call, toolCallId: "1", state: "running", questions }], []);
  expect(parts.at(-1)).toMatchObject({
    state: "failed",
    error: "The answer was cut off.",
    questions: [{ id: "q", end: { outcome: "withdrawn" } }],
  });
});
