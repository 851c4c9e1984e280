import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { equal, GREETING, MODEL, RESPONSES_MODEL, runCases, TOKEN, V1, WEATHER } from "./cases.mjs";

setTracingDisabled(true);
const client = new OpenAI({ apiKey: TOKEN, baseURL: V1, maxRetries: 0 });
const MODELS = [
  new OpenAIChatCompletionsModel(client, MODEL),
  new OpenAIResponsesModel(client, RESPONSES_MODEL),
];
const modelSettings = { store: false };
const each = async (work) => {
  for (const model of MODELS) await work(model);
};

await runCases({
  text: () =>
    each(async (model) => {
      const agent = new Agent({ name: "Greeter", model, modelSettings });
      equal((await run(agent, "greet")).finalOutput, GREETING);
    }),
  stream: () =>
    each(async (model) => {
      const agent = new Agent({ name: "Greeter", model, modelSettings });
      const result = await run(agent, "greet", { stream: true });
      let text = "";
      for await (const piece of result.toTextStream()) text += piece;
      equal(text, GREETING);
    }),
  tools: () =>
    each(async (model) => {
      const asked = [];
      const execute = async (input) => {
        asked.push(input);
        return "21";
      };
      const parameters = z.object({ city: z.string() });
      const lookUp = tool({ name: "look_up", description: "Weather", parameters, execute });
      const agent = new Agent({ name: "Forecaster", model, modelSettings, tools: [lookUp] });
      equal((await run(agent, "weather")).finalOutput, WEATHER);
      equal(asked, [{ city: "Wien" }]);
    }),
  "structured output": () =>
    each(async (model) => {
      const outputType = z.object({ name: z.string(), born: z.number() });
      const agent = new Agent({ name: "Writer", model, modelSettings, outputType });
      equal((await run(agent, "as json")).finalOutput, { name: "Ada", born: 1815 });
    }),
});
