import { expect, it } from "vitest";
import { allowedModels } from "./open-model.server";

it.each([
  ["openai/gpt-4o", "gpt-4o", true],
  ["gpt-4o", "openai/gpt-4o", true],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", true],
  ["gpt-4o", "gpt-4o-mini", false],
])("checks a token for %s against a call for %s", (allowList, requested, allowed) => {
  const gateway = { models: [allowList], requestsPerMinute: null };
  expect(allowedModels({ gateway })(requested)).toBe(allowed);
});

it("a token without a list may call every model", () => {
  expect(allowedModels({ gateway: { models: null, requestsPerMinute: null } })("any")).toBe(true);
  expect(allowedModels({})("any")).toBe(true);
});
