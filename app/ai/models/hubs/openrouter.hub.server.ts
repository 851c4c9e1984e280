import type { HubModel } from "../catalogue.schema";
import { capabilitiesOf } from "../model-families.server";
import { DEFAULT_CONTEXT_TOKENS } from "../model-settings.schema";
import { fromOpenRouter, OpenRouterList, writesText } from "../providers/openrouter-list";
import type { ModelHub } from "./hub";

function describe(id: string, name: string, maxTokens: number): HubModel {
  return { id, name, maxTokens, capabilities: capabilitiesOf(id) };
}

export const openrouterHub: ModelHub = {
  hub: "openrouter",
  path: "/api/v1/models",
  parse: (body) =>
    OpenRouterList.parse(body)
      .data.filter((entry) => entry.id.length > 0 && entry.id.length <= 200 && writesText(entry))
      .map((entry) => {
        const { id, name, description, maxTokens, cost, capabilities } = fromOpenRouter(entry, "chat");
        return {
          id,
          name: name ?? id,
          maxTokens: maxTokens ?? DEFAULT_CONTEXT_TOKENS,
          capabilities: capabilities ?? [],
          ...(description ? { description } : {}),
          ...(cost ? { cost } : {}),
        };
      }),
  fallback: [
    describe("openai/gpt-4o", "OpenAI: GPT-4o", 128_000),
    describe("anthropic/claude-sonnet-4.5", "Anthropic: Claude Sonnet 4.5", 200_000),
    describe("google/gemini-2.5-flash", "Google: Gemini 2.5 Flash", 1_048_576),
    describe("meta-llama/llama-3.3-70b-instruct", "Meta: Llama 3.3 70B Instruct", 131_072),
    describe("mistralai/mistral-nemo", "Mistral: Mistral Nemo", 131_072),
  ],
};
