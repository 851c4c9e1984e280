import { expect, it, vi } from "vitest";
import { type AnswerEvent, EMPTY, message, reduce } from "./answer-reducer";
import { foldEvents, readEvents } from "./read-events";

const START = '{"type":"start","messageId":"msg_1","messageMetadata":{"model":"m"}}';
const TEXT = ['{"type":"text-start","id":"0"}', '{"type":"text-delta","id":"0","delta":"Hello"}'];

async function read(...data: string[]) {
  const events: AnswerEvent[] = [];
  const body = data.map((line, index) => `id: ${index + 1}\ndata: ${line}\n\n`).join("");
  const end = await readEvents(new Response(body), (event) => events.push(event));
  const sent = reduce(EMPTY, { type: "sent", messages: [], answer: message("assistant", "") });
  return { end, state: reduce(sent, { type: "events", events, fold: foldEvents }) };
}

it("reads an answer to its end", async () => {
  const { end, state } = await read(START, ...TEXT, "[DONE]");
  expect(end).toBe("done");
  expect(state.messages).toMatchObject([{ id: "msg_1", model: "m", content: "Hello" }]);
});

it("names the persona of an answer from its start", async () => {
  const { state } = await read(START.replace('"m"', '"m","persona":"Lead"'));
  expect(state.live?.message).toMatchObject({ persona: "Lead", model: "m" });
});

it("reports a lost connection if the stream has no end", async () => {
  expect((await read(START, ...TEXT)).end).toBe("lost");
});

it("stops reading at a malformed event", async () => {
  const cancel = vi.fn();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("id: 1\ndata: <html>\n\n")),
    cancel,
  });
  expect(await readEvents(new Response(body), () => undefined)).toBe("unreadable");
  expect(cancel).toHaveBeenCalled();
});

it.each(["<html>", "null", "{}", '{"type":"start"}', '{"type":"tool-input-start","toolCallId":"1"}'])(
  "keeps what came before the malformed event %j, and shows an error",
  async (malformed) => {
    const { end, state } = await read(START, ...TEXT, malformed, TEXT[1] ?? "", "[DONE]");
    expect(end).toBe("unreadable");
    expect(state.live?.message).toMatchObject({ id: "msg_1", content: "Hello" });
    const { messages, live } = reduce(state, { type: "refused", detail: "Reload the page." });
    expect(messages).toMatchObject([{ content: "Hello", status: "failed", error: "Reload the page." }]);
    expect(live).toBeUndefined();
  },
);
