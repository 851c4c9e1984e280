import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ChatModel } from "../language-model";
import type { ProviderCall } from "./provider-type";

export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/**
 * A model of a server that speaks OpenAI's chat completions; reasoning that comes beside the text is kept apart.
 *
 * @param name of the provider type
 * @param below what comes between the base address and `/chat/completions`
 */
export function compatibleModel(call: ProviderCall, name: string, modelId: string, below = ""): ChatModel {
  const provider = createOpenAICompatible({
    name,
    baseURL: call.baseUrl + below,
    fetch: call.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(call.apiKey ? { apiKey: call.apiKey } : {}),
  });
  return provider(modelId);
}
