import { describe, expect, it } from "vitest";
import { usageOfBody } from "./index";
import { mergeUsage, WithUsage } from "./wire-usage";

describe("token counts of a response", () => {
  it("is the whole input with its cached parts beside it, for the price", () => {
    const chat = {
      usage: { prompt_tokens: 1000, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 800 } },
    };
    expect(usageOfBody("openai-chat", chat)).toEqual({
      inputTokens: 1000,
      outputTokens: 9,
      cacheReadTokens: 800,
    });
    const responses = {
      usage: {
        input_tokens: 1000,
        output_tokens: 9,
        input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
      },
    };
    expect(usageOfBody("openai-responses", responses)).toEqual({
      inputTokens: 1000,
      outputTokens: 9,
      cacheReadTokens: 800,
      cacheWriteTokens: 50,
    });
    const message = {
      usage: {
        input_tokens: 100,
        output_tokens: 9,
        cache_read_input_tokens: 800,
        cache_creation_input_tokens: 100,
      },
    };
    expect(usageOfBody("anthropic-messages", message)).toEqual({
      inputTokens: 1000,
      outputTokens: 9,
      cacheReadTokens: 800,
      cacheWriteTokens: 100,
    });
  });

  it("prices Anthropic's one-hour cache writes separately", () => {
    const cache_creation = { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 };
    const usage = { input_tokens: 100, output_tokens: 9, cache_creation_input_tokens: 100, cache_creation };
    const counts = { inputTokens: 200, outputTokens: 9, cacheWriteTokens: 100, cacheWrite1hTokens: 60 };
    expect(usageOfBody("anthropic-messages", { usage })).toEqual(counts);
    const { message: start } = WithUsage.parse({ message: { usage } });
    const { usage: end } = WithUsage.parse({ usage: { output_tokens: 7 } });
    expect(mergeUsage(start?.usage, end)).toMatchObject({
      output_tokens: 7,
      cache_creation: { ephemeral_1h_input_tokens: 60 },
    });
  });

  it("is a chat's whole output where its total alone has the thoughts", () => {
    const usage = { prompt_tokens: 37, completion_tokens: 530, total_tokens: 800 };
    expect(usageOfBody("openai-chat", { usage })).toEqual({ inputTokens: 37, outputTokens: 763 });
    const less = { prompt_tokens: 37, completion_tokens: 530, total_tokens: 530 };
    expect(usageOfBody("openai-chat", { usage: less })).toEqual({ inputTokens: 37, outputTokens: 530 });
    const responses = { input_tokens: 37, output_tokens: 530, total_tokens: 800 };
    expect(usageOfBody("openai-responses", { usage: responses })).toMatchObject({ outputTokens: 530 });
    expect(usageOfBody("rerank", { usage: { prompt_tokens: 3, total_tokens: 9 } })).toMatchObject({
      inputTokens: 3,
    });
  });

  it("is the count alone where the details are nonsense or missing", () => {
    for (const details of [undefined, null, 7, { cached_tokens: -1 }, { cached_tokens: "many" }]) {
      const usage = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: details };
      expect(usageOfBody("openai-chat", { usage })).toEqual({ inputTokens: 10, outputTokens: 1 });
    }
  });

  it("keeps cache counts from a stream's start", () => {
    const { usage: start } = WithUsage.parse({ usage: { input_tokens: 1, cache_read_input_tokens: 20 } });
    const { usage: end } = WithUsage.parse({ usage: { output_tokens: 5 } });
    expect(mergeUsage(start, end)).toMatchObject({ cache_read_input_tokens: 20, output_tokens: 5 });
  });
});
