import { expect, it } from "vitest";
import { allowedModels } from "./allowed-models.server";

it.each([
  ["openai/gpt-4o", "gpt-4o", true],
  ["gpt-4o", "openai/gpt-4o", true],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", true],
  ["gpt-4o", "gpt-4o-mini", false],
])("a token that may call %s is asked for %s", (listed, asked, allowed) => {
  const isAllowed = allowedModels({ gateway: { models: [listed], requestsPerMinute: null } });
  expect(isAllowed(asked)).toBe(allowed);
});

it("a token without a list may call every model", () => {
  expect(allowedModels({ gateway: { models: null, requestsPerMinute: null } })("any")).toBe(true);
  expect(allowedModels({})("any")).toBe(true);
});
