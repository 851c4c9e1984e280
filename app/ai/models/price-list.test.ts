import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { expect, it } from "vitest";
import { costByPriceList } from "./price-list.server";

const LISTS = ["openai", "anthropic", "google", "openrouter", "mistral", "groq"];

it.each(LISTS)("agrees with the package on every price of %s, short and long", (providerId) => {
  const models = findProvider({ providerId })?.models ?? [];
  expect(models.length).toBeGreaterThan(10);
  for (const { id } of models) {
    for (const [input, output, cacheRead, cacheWrite, cacheWrite1h] of [
      [1000, 10, 0, 0, 0],
      [900_000, 30_000, 0, 0, 0],
      [1000, 10, 700, 200, 150],
      [900_000, 30_000, 500_000, 100_000, 0],
    ] as const) {
      const usage = {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cacheRead,
        cache_write_tokens: cacheWrite,
        cache_write_1h_tokens: cacheWrite1h,
      };
      const whole = calcPrice(usage, id, { providerId });
      const ours = costByPriceList(providerId, id, { input, output, cacheRead, cacheWrite, cacheWrite1h });
      if (whole === null) expect(ours, id).toBeNull();
      else expect(ours, id).toBeCloseTo(whole.total_price, 9);
    }
  }
});

it.each([
  ["openai", "gpt-4o"],
  ["anthropic", "claude-sonnet-4-5"],
])("counts no more as cached than came in, at %s", (providerId, id) => {
  const whole = costByPriceList(providerId, id, { input: 1000, output: 0, cacheRead: 1000 });
  expect(whole).toBeGreaterThan(0);
  expect(costByPriceList(providerId, id, { input: 1000, output: 0, cacheRead: 5000, cacheWrite: 9 })).toBe(
    whole,
  );
});

it("returns no cost for an unknown model", () => {
  expect(costByPriceList("openai", "no-such-model", { input: 1, output: 1 })).toBeNull();
});
