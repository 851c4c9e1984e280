import { expect, it } from "vitest";
import { runBodyTask } from "./worker-task";

const messages = [{ role: "user", content: "Hi" }];
const read = (more: object) => {
  const bytes = Buffer.from(JSON.stringify({ model: "m", messages, ...more }));
  return runBodyTask({ work: "request", protocol: "openai-chat", bytes, inBase64: false });
};
const many = Array.from({ length: 40_000 }, () => ({}));

it("returns only the members a translation reads", () => {
  expect(read({ unknown: many, temperature: 1, logprobs: true })).toEqual({
    kind: "request",
    request: { model: "m", messages, temperature: 1, logprobs: true },
  });
});

it("brings back no more than the event loop makes again in a moment", () => {
  const refused = {
    kind: "refused",
    code: "invalid",
    message: expect.stringMatching(/at most 30000 values/),
  };
  expect(read({ messages: [{ ...messages[0], unknown: many }] })).toMatchObject(refused);
});
