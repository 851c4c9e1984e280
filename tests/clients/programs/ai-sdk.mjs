import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, embed, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import {
  assert,
  equal,
  GREETING,
  LIMITED_MODEL,
  MESSAGES_MODEL,
  MODEL,
  PIXEL,
  RESPONSES_MODEL,
  runCases,
  TOKEN,
  thrownBy,
  V1,
  WEATHER,
} from "./cases.mjs";

const settings = { apiKey: TOKEN, baseURL: V1 };
const openai = createOpenAI(settings);
const compatible = createOpenAICompatible({
  ...settings,
  name: "quarterdeck",
  supportsStructuredOutputs: true,
});
const MODELS = [
  openai.chat(MODEL),
  openai.responses(RESPONSES_MODEL),
  createAnthropic(settings)(MESSAGES_MODEL),
  compatible(MODEL),
];
/** It refers to items that it believes to be stored, unless it is told that nothing is. */
const own = { maxRetries: 0, providerOptions: { openai: { store: false } } };
const each = async (work) => {
  for (const model of MODELS) await work(model);
};

await runCases({
  text: () =>
    each(async (model) => {
      const { text } = await generateText({ ...own, model, prompt: "greet" });
      equal(text, GREETING);
    }),
  stream: () =>
    each(async (model) => {
      const { textStream, finishReason } = streamText({ ...own, model, prompt: "greet" });
      let text = "";
      for await (const piece of textStream) text += piece;
      equal([text, await finishReason], [GREETING, "stop"]);
    }),
  tools: () =>
    each(async (model) => {
      const asked = [];
      const execute = async (input) => {
        asked.push(input);
        return "21";
      };
      const look_up = tool({ inputSchema: z.object({ city: z.string() }), execute });
      const stopWhen = stepCountIs(3);
      const whole = await generateText({ ...own, model, prompt: "weather", tools: { look_up }, stopWhen });
      equal(whole.text, WEATHER);
      const streamed = streamText({ ...own, model, prompt: "weather", tools: { look_up }, stopWhen });
      equal(await streamed.text, WEATHER);
      equal(asked, [{ city: "Wien" }, { city: "Wien" }]);
    }),
  "structured output": () =>
    each(async (model) => {
      const schema = z.object({ name: z.string(), born: z.number() });
      const answer = await generateText({
        ...own,
        model,
        prompt: "as json",
        output: Output.object({ schema }),
      });
      equal(answer.output, { name: "Ada", born: 1815 });
    }),
  images: () =>
    each(async (model) => {
      const image = { type: "file", data: PIXEL, mediaType: "image/png" };
      const content = [{ type: "text", text: "picture" }, image];
      const { text } = await generateText({ ...own, model, messages: [{ role: "user", content }] });
      equal(text, "One pixel.");
    }),
  errors: () =>
    each(async (model) => {
      const tooLong = await thrownBy(() => generateText({ ...own, model, prompt: "too long" }));
      assert(APICallError.isInstance(tooLong) && tooLong.statusCode === 400, tooLong);
      const limited = await thrownBy(() =>
        generateText({ ...own, model: openai.chat(LIMITED_MODEL), prompt: "slow down" }),
      );
      assert(limited.statusCode === 429 && limited.isRetryable, limited);
    }),
  abort: () =>
    each(async (model) => {
      const controller = new AbortController();
      const { fullStream } = streamText({
        ...own,
        model,
        prompt: "long story",
        abortSignal: controller.signal,
        onError: () => undefined,
      });
      let [pieces, ended] = [0, false];
      for await (const part of fullStream) {
        if (part.type === "text-delta" && ++pieces === 3) controller.abort();
        if (part.type === "abort") ended = true;
      }
      assert(ended && pieces < 50, { ended, pieces });
    }),
  async embeddings() {
    const model = openai.embedding("text-embedding-3-small");
    equal((await embed({ model, value: "embed me", maxRetries: 0 })).embedding, [0.25, -0.5, 1]);
  },
});
