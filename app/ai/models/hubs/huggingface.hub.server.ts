import { z } from "zod";
import type { HubModel } from "../catalogue.schema";
import { capabilitiesOf } from "../model-families.server";
import { DEFAULT_CONTEXT_TOKENS } from "../model-settings.schema";
import type { ModelHub } from "./hub";

const List = z.array(
  z.object({ id: z.string().min(1).max(200), downloads: z.number().int().min(0).nullish() }),
);

function describe(id: string, maxTokens: number = DEFAULT_CONTEXT_TOKENS): HubModel {
  const [author, name] = id.includes("/") ? id.split("/", 2) : [undefined, id];
  return {
    id,
    name: name ?? id,
    description: author ? `Text generation by ${author}` : "Text generation",
    maxTokens,
    capabilities: capabilitiesOf(id),
  };
}

/** Models of inference providers, most downloaded first. */
export const huggingfaceHub: ModelHub = {
  hub: "huggingface",
  path: "/api/models?pipeline_tag=text-generation&inference_provider=all&sort=downloads&direction=-1&limit=50",
  parse: (body) =>
    List.parse(body).map(({ id, downloads }) => ({
      ...describe(id),
      ...(downloads == null ? {} : { downloads }),
    })),
  fallback: [
    describe("meta-llama/Llama-3.3-70B-Instruct", 131_072),
    describe("Qwen/Qwen3-32B", 40_960),
    describe("deepseek-ai/DeepSeek-V3.2", 163_840),
    describe("openai/gpt-oss-120b", 131_072),
    describe("mistralai/Mistral-7B-Instruct-v0.3", 32_768),
  ],
};
