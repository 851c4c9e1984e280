import { expect, it } from "vitest";
import { openrouter } from "./openrouter.provider.server";

it("reads the prices of its list, and of cached input where it has some", async () => {
  const prices = {
    cached: {
      prompt: "0.000003",
      completion: "0.000015",
      input_cache_read: "0.0000003",
      input_cache_write: "0.00000375",
    },
    plain: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0", input_cache_write: null },
    odd: { prompt: "0.000003", completion: "0.000015", input_cache_read: 7 },
    routed: { prompt: "-1", completion: "-1", input_cache_read: "0.1" },
  };
  const data = Object.entries(prices).map(([id, pricing]) => ({ id, pricing }));
  const fetch: typeof globalThis.fetch = async (input) =>
    String(input).endsWith("/v1/models") ? Response.json({ data }) : Response.json({ data: [] });
  const call = { baseUrl: "http://a.example/v1", apiKey: "key", fetch, config: {} };
  const plain = { input: 0.003, output: 0.015 };
  expect((await openrouter.listModels(call)).map(({ id, cost }) => [id, cost])).toEqual([
    ["cached", { ...plain, cacheRead: 0.0003, cacheWrite: 0.00375 }],
    ["plain", plain],
    ["odd", plain],
    ["routed", undefined],
  ]);
});
