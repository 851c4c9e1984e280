import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { createAgent } from "langchain";
import { z } from "zod";
import {
  assert,
  CONSOLE,
  equal,
  GREETING,
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

const configuration = { baseURL: V1 };
const shared = { apiKey: TOKEN, maxRetries: 0 };
const MODELS = [
  new ChatOpenAI({ ...shared, model: MODEL, configuration }),
  new ChatOpenAI({
    ...shared,
    model: RESPONSES_MODEL,
    configuration,
    useResponsesApi: true,
    zdrEnabled: true,
  }),
  new ChatAnthropic({ ...shared, model: MESSAGES_MODEL, anthropicApiUrl: CONSOLE }),
];
const each = async (work) => {
  for (const model of MODELS) await work(model);
};

await runCases({
  text: () =>
    each(async (model) => {
      equal((await model.invoke("greet")).text, GREETING);
    }),
  stream: () =>
    each(async (model) => {
      let text = "";
      for await (const chunk of await model.stream("greet")) text += chunk.text;
      equal(text, GREETING);
    }),
  tools: () =>
    each(async (model) => {
      const asked = [];
      const look = async (input) => {
        asked.push(input);
        return "21";
      };
      const schema = z.object({ city: z.string() });
      const lookUp = tool(look, { name: "look_up", description: "Weather", schema });
      const agent = createAgent({ model, tools: [lookUp] });
      const { messages } = await agent.invoke({ messages: [new HumanMessage("weather")] });
      equal(messages.at(-1).text, WEATHER);
      equal(asked, [{ city: "Wien" }]);
    }),
  "structured output": () =>
    each(async (model) => {
      const schema = z.object({ name: z.string(), born: z.number() });
      const asked = model.withStructuredOutput(schema, { name: "person", method: "jsonSchema" });
      equal(await asked.invoke("as json"), { name: "Ada", born: 1815 });
    }),
  images: () =>
    each(async (model) => {
      const image = { type: "image", mimeType: "image/png", data: PIXEL };
      const contentBlocks = [{ type: "text", text: "picture" }, image];
      equal((await model.invoke([new HumanMessage({ contentBlocks })])).text, "One pixel.");
    }),
  errors: () =>
    each(async (model) => {
      const tooLong = await thrownBy(() => model.invoke("too long"));
      assert(/maximum context length/.test(tooLong.message), tooLong);
    }),
  async embeddings() {
    const embeddings = new OpenAIEmbeddings({
      ...shared,
      model: "text-embedding-3-small",
      configuration,
      encodingFormat: "float",
    });
    equal(await embeddings.embedQuery("embed me"), [0.25, -0.5, 1]);
  },
});
