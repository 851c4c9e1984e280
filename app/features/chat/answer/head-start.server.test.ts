import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { headStart } from "./head-start.server";
import type { AnswerPlan } from "./run-answer.server";

function planWith(doStream: (options: LanguageModelV3CallOptions) => Promise<unknown>): AnswerPlan {
  const languageModel = { doStream } as unknown as LanguageModelV3;
  const model = { modelId: "m", providerId: null, providerType: "custom", displayName: "Far", pricing: null };
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
  return { model: { ...model, languageModel }, prompt, tools: [], maxSteps: 1 };
}

describe("the head start of a model's first call", () => {
  it("asks the model at once, with the prompt and without an empty tool list", async () => {
    const seen: LanguageModelV3CallOptions[] = [];
    const answer = { stream: new ReadableStream() };
    const first = headStart(
      planWith(async (options) => {
        seen.push(options);
        return answer;
      }),
    );
    expect(seen).toMatchObject([{ prompt: [{ role: "user" }] }]);
    expect(seen[0]).not.toHaveProperty("tools");
    expect(await first.result).toBe(answer);
  });

  it("can be given up, at the provider too", () => {
    let signal: AbortSignal | undefined;
    const first = headStart(
      planWith(async ({ abortSignal }) => {
        signal = abortSignal;
        return { stream: new ReadableStream() };
      }),
    );
    first.stop();
    expect(signal?.aborted).toBe(true);
  });

  it("keeps a failure for whoever takes it over", async () => {
    const first = headStart(planWith(() => Promise.reject(new Error("refused"))));
    await expect(Promise.resolve(first.result)).rejects.toThrow("refused");
  });
});
