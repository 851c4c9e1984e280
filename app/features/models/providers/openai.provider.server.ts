import { createOpenAI } from "@ai-sdk/openai";
import { OpenAiList, readList, tidyIds } from "./model-list.server";
import type { ProviderType } from "./provider-type";

/** OpenAI lists everything it has under one roof; these can't hold a conversation. */
const NOT_FOR_CHAT =
  /embedding|whisper|tts|dall-e|moderation|realtime|transcribe|image|audio|sora|davinci|babbage|instruct|computer-use/;

export const openai: ProviderType = {
  value: "openai",
  label: "OpenAI",
  description: "GPT models from OpenAI, through its Responses API or chat completions.",
  keyKind: "openai",
  keyRequired: true,
  defaultBaseUrl: "https://api.openai.com/v1",
  fields: ["keyId", "api", "baseUrl", "models"],
  pricing: "openai",
  async listModels(call) {
    const list = await readList(
      call,
      "/models",
      { authorization: `Bearer ${call.apiKey ?? ""}` },
      OpenAiList,
    );
    return tidyIds(list.data.map((model) => model.id).filter((id) => !NOT_FOR_CHAT.test(id))).sort();
  },
  makeModel(call, modelId) {
    const provider = createOpenAI({ baseURL: call.baseUrl, apiKey: call.apiKey ?? "", fetch: call.fetch });
    return call.config.api === "chat" ? provider.chat(modelId) : provider.responses(modelId);
  },
};
