import { expect, it } from "vitest";
import { USAGE } from "../../../tests/support/model-usage";
import { countedUsage, isEstimated } from "./counted-usage";
import { UNKNOWN_USAGE } from "./language-model";

const text = (value: string) => ({ type: "text" as const, text: value });
const call = {
  prompt: [
    { role: "system" as const, content: "1234" },
    {
      role: "user" as const,
      content: [text("12345678"), { type: "file" as const, mediaType: "image/png", data: "AA==" }],
    },
  ],
};

it("keeps what a provider reported", () => {
  expect(countedUsage(USAGE, call, 400)).toBe(USAGE);
  expect(isEstimated(USAGE)).toBe(false);
});

it("counts the rest from the length of the texts, and says so", () => {
  const counted = countedUsage(UNKNOWN_USAGE, call, 40);
  expect(counted).toMatchObject({ inputTokens: { total: 1003 }, outputTokens: { total: 10 } });
  expect(isEstimated(counted)).toBe(true);
  const half = { ...USAGE, outputTokens: UNKNOWN_USAGE.outputTokens };
  expect(countedUsage(half, call, 40)).toMatchObject({
    inputTokens: { total: 2 },
    outputTokens: { total: 10 },
  });
});
