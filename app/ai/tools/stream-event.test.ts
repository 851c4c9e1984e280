import { expect, it } from "vitest";
import { StreamChunk } from "./answer-stream.schema";
import { isStreamChunk, parseEvent } from "./stream-event.shared";

const text = (name: string) => ({ [name]: "x" });
const ids = { ...text("id"), ...text("toolCallId"), ...text("messageId"), ...text("approvalId") };
const texts = { ...text("delta"), ...text("inputTextDelta"), ...text("toolName"), ...text("errorText") };

const asked = { id: "q", questionId: "q", asker: "x", message: "x", outcome: "declined" };

/** A chunk of each type that the schema accepts. */
const chunks = StreamChunk.options.map((option) => {
  const type = [...option.shape.type.values][0];
  const isData = type?.startsWith("data-");
  return StreamChunk.parse({
    type,
    ...ids,
    ...texts,
    reason: type === "tool-approval-request" ? "policy" : "stopped",
    messageMetadata: { model: "m" },
    input: {},
    output: "",
    ...(type === "file" && {
      url: "x",
      mediaType: "image/png",
      providerMetadata: { console: { id: "x", name: "x", size: 1 } },
    }),
    ...(isData
      ? {
          data: {
            ...(/question|answer/.test(String(type)) ? asked : {}),
            progress: 1,
            step: 1,
            writtenBy: "x",
            parts: {},
            text: "x",
          },
          transient: true,
        }
      : {}),
  });
});

it.each(chunks)("takes an event of type $type, and none that lacks a field it reads", (chunk) => {
  expect(isStreamChunk(chunk)).toBe(true);
  const isOptional = (name: string) => ["approvalId", "transient", "input", "output"].includes(name);
  for (const name of Object.keys(chunk).filter((one) => !isOptional(one))) {
    const { [name]: _, ...rest } = chunk as Record<string, unknown>;
    expect([name, isStreamChunk(rest)]).toEqual([name, false]);
  }
});

it("takes an event of a type it doesn't know", () => {
  expect(isStreamChunk({ type: "source-url", url: "https://example.org" })).toBe(true);
  expect(isStreamChunk({ type: "constructor" })).toBe(true);
});

it.each(["", "<html>", "null", "7", '"text"', "[]", "{}", '{"type":7}', '{"type":"text-delta","id":"0"}'])(
  "refuses %j",
  (data) => expect(isStreamChunk(parseEvent(data))).toBe(false),
);
