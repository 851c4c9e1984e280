import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { expect, it } from "vitest";
import { listPrice } from "./list-price.server";

const LISTS = ["openai", "anthropic", "google", "openrouter", "mistral", "groq"];

it.each(LISTS)("agrees with the package on every price of %s, short and long", (providerId) => {
  const models = findProvider({ providerId })?.models ?? [];
  expect(models.length).toBeGreaterThan(10);
  for (const { id } of models) {
    for (const [input, output] of [
      [1000, 10],
      [900_000, 30_000],
    ] as const) {
      const whole = calcPrice({ input_tokens: input, output_tokens: output }, id, { providerId });
      const ours = listPrice(providerId, id, { input, output });
      if (whole === null) expect(ours, id).toBeNull();
      else expect(ours, id).toBeCloseTo(whole.total_price, 9);
    }
  }
});

it("knows no price of an unknown model", () => {
  expect(listPrice("openai", "no-such-model", { input: 1, output: 1 })).toBeNull();
});
