import { z } from "zod";
import type { HubModel } from "./catalogue.schema";
import { capabilitiesOf } from "./model-families.server";
import type { Hub } from "./model-options.shared";
import { DEFAULT_CONTEXT_TOKENS } from "./model-settings.schema";
import { fromOpenRouter, OpenRouterList, writesText } from "./providers/openrouter.provider.server";

export interface ModelHub {
  hub: Hub;
  baseUrl: string;
  path: string;
  /** @throws ZodError for an unexpected response */
  parse(body: unknown): HubModel[];
  /** Models of a hub that can't be reached. */
  fallback: readonly HubModel[];
}

const HuggingFaceList = z.array(
  z.object({ id: z.string().min(1).max(200), downloads: z.number().int().min(0).nullish() }),
);

function fromHuggingFace(id: string, maxTokens: number = DEFAULT_CONTEXT_TOKENS): HubModel {
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
const huggingface: ModelHub = {
  hub: "huggingface",
  baseUrl: "https://huggingface.co",
  path: "/api/models?pipeline_tag=text-generation&inference_provider=all&sort=downloads&direction=-1&limit=50",
  parse: (body) =>
    HuggingFaceList.parse(body).map(({ id, downloads }) => ({
      ...fromHuggingFace(id),
      downloads: downloads ?? undefined,
    })),
  fallback: [
    fromHuggingFace("meta-llama/Llama-3.3-70B-Instruct", 131_072),
    fromHuggingFace("Qwen/Qwen3-32B", 40_960),
    fromHuggingFace("deepseek-ai/DeepSeek-V3.2", 163_840),
    fromHuggingFace("openai/gpt-oss-120b", 131_072),
    fromHuggingFace("mistralai/Mistral-7B-Instruct-v0.3", 32_768),
  ],
};

function openRouterModel(id: string, name: string, maxTokens: number): HubModel {
  return { id, name, maxTokens, capabilities: capabilitiesOf(id) };
}

const openrouter: ModelHub = {
  hub: "openrouter",
  baseUrl: "https://openrouter.ai",
  path: "/api/v1/models",
  parse: (body) =>
    OpenRouterList.parse(body)
      .data.filter((entry) => entry.id.length > 0 && entry.id.length <= 200 && writesText(entry))
      .map((entry) => {
        const {
          id,
          name = id,
          description,
          maxTokens,
          cost,
          capabilities = [],
        } = fromOpenRouter(entry, "chat");
        return {
          id,
          name,
          description,
          maxTokens: maxTokens ?? DEFAULT_CONTEXT_TOKENS,
          cost: cost && { input: cost.input, output: cost.output },
          capabilities,
        };
      }),
  fallback: [
    openRouterModel("openai/gpt-4o", "OpenAI: GPT-4o", 128_000),
    openRouterModel("anthropic/claude-sonnet-4.5", "Anthropic: Claude Sonnet 4.5", 200_000),
    openRouterModel("google/gemini-2.5-flash", "Google: Gemini 2.5 Flash", 1_048_576),
    openRouterModel("meta-llama/llama-3.3-70b-instruct", "Meta: Llama 3.3 70B Instruct", 131_072),
    openRouterModel("mistralai/mistral-nemo", "Mistral: Mistral Nemo", 131_072),
  ],
};

export const hubs: readonly ModelHub[] = [huggingface, openrouter];
