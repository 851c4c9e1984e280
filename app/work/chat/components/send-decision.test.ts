import { afterEach, expect, it, vi } from "vitest";
import { sendDecision } from "./send-decision";

const sent = vi.fn();
const answer = (status: number, body: object) => {
  sent.mockReset().mockImplementation(async () => Response.json(body, { status }));
  vi.stubGlobal("fetch", sent);
};
afterEach(() => vi.unstubAllGlobals());

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries({ toolCallId: "call_1", ...fields })) data.set(name, value);
  return data;
}

it.each(["", "{", "null", "5"])("asks for a JSON object instead of %j and sends nothing", async (input) => {
  answer(200, {});
  expect(await sendDecision("con_1", form({ decision: "approve", input }))).toEqual({
    problem: 'Enter a JSON object, such as {"key": "value"}',
  });
  expect(sent, "nothing is sent").not.toHaveBeenCalled();
});

it("sends edited arguments, or the reason of a refusal without them", async () => {
  const decided = { message: { id: "msg_1" }, lastEventId: 3 };
  answer(200, decided);
  const approved = form({ decision: "approve", input: '{"key":"colour"}' });
  expect(await sendDecision("con_1", approved)).toEqual(decided);
  await sendDecision("con_1", form({ decision: "refuse", input: "{", reason: "Not now" }));
  expect(sent.mock.calls.map(([, { body }]) => JSON.parse(body))).toEqual([
    { toolCallId: "call_1", decision: "approve", input: { key: "colour" } },
    { toolCallId: "call_1", decision: "refuse", reason: "Not now" },
  ]);
});

it("shows an error of the arguments at their field, and any other as a toast", async () => {
  const approved = form({ decision: "approve", input: "{}" });
  answer(400, { detail: "Enter a key." });
  expect(await sendDecision("con_1", approved)).toEqual({ problem: "Enter a key." });
  answer(409, { detail: "Another answer has begun." });
  expect(await sendDecision("con_1", approved)).toEqual({ problem: undefined });
});
