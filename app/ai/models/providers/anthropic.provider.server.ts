import { z } from "zod";
import { leaveOut } from "../call-features";
import { thinkingRoom, translatingEffort } from "../effort";
import { type ChatModel, withCalls, withProviderTool } from "../language-model";
import { withoutNulls } from "../model-stream.server";
import { contextTokens, readList, shortText } from "./adapter-parts.server";
import { anthropicEffort, thinksAdaptively } from "./efforts";
import { cachingPrompts } from "./prompt-caching";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const AnthropicList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      display_name: z.string().nullish(),
      max_input_tokens: z.number().nullish(),
    }),
  ),
});

/** Of one question; each is paid. */
const MAX_SEARCHES = 3;

function headers(apiKey: string | undefined): Record<string, string> {
  return { "x-api-key": apiKey ?? "", "anthropic-version": "2023-06-01" };
}

function list(call: ProviderCall, limit: number) {
  return readList(call, `/models?limit=${limit}`, AnthropicList, headers(call.apiKey));
}

/** Its API has no JSON without a schema. */
const sayingJson = (model: ChatModel): ChatModel =>
  withCalls(model, (call) => {
    const isBare = call.responseFormat?.type === "json" && call.responseFormat.schema === undefined;
    return isBare ? leaveOut(call, new Set(["responseFormat"])) : call;
  });

export const anthropic: ProviderType = {
  value: "anthropic",
  label: "Anthropic",
  description: "Claude models through Anthropic's Messages API",
  keyKind: "anthropic",
  keyRequired: true,
  defaultBaseUrl: "https://api.anthropic.com/v1",
  pricing: "anthropic",
  abilities: ["Vision", "Tools", "Reasoning"],
  listing: "Models are discovered automatically",
  portableState: true,
  // It thinks when it is asked to; the adapter adds a number of tokens to the limit itself.
  thinkingRoom: (effort, modelId) =>
    effort === undefined || !thinksAdaptively(modelId) ? 0 : thinkingRoom(effort),
  wire: { "anthropic-messages": "/messages" },
  headers,
  searchingWeb: () =>
    withProviderTool("anthropic.web_search_20250305", "web_search", { maxUses: MAX_SEARCHES }),
  async listModels(call) {
    const { data } = await list(call, 1000);
    return data.map(({ id, display_name, max_input_tokens }) => ({
      id,
      kind: "chat",
      name: shortText(display_name, 200),
      maxTokens: contextTokens(max_input_tokens),
    }));
  },
  probe: (call) => list(call, 1),
  async makeModel(call, modelId) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const provider = createAnthropic({
      baseURL: call.baseUrl,
      apiKey: call.apiKey ?? "",
      fetch: withoutNulls(call.fetch),
    });
    return translatingEffort(cachingPrompts(sayingJson(provider(modelId))), anthropicEffort);
  },
};
