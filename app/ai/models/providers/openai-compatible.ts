import type { ChatModel } from "../language-model";
import type { ProviderCall } from "./provider-type";

export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/**
 * A model of a server with OpenAI's chat completions API. Reasoning is a separate part.
 *
 * @param name of the provider type
 * @param pathPrefix the path between the base URL and `/chat/completions`
 */
export async function compatibleModel(
  call: ProviderCall,
  name: string,
  modelId: string,
  pathPrefix = "",
): Promise<ChatModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name,
    baseURL: call.baseUrl + pathPrefix,
    fetch: call.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(call.apiKey ? { apiKey: call.apiKey } : {}),
  });
  return provider(modelId);
}
