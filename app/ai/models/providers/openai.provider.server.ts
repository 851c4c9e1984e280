import { z } from "zod";
import { leaveOut } from "../call-features";
import { translatingEffort } from "../effort";
import {
  type ChatModel,
  type ChatModelCall,
  withCalls,
  withOption,
  withProviderTool,
} from "../language-model";
import { kindOfId } from "../model-families.server";
import { withoutNulls } from "../model-stream.server";
import { AUDIO_WIRE, bearer, compatibleModel, IMAGE_WIRE, readList } from "./adapter-parts.server";
import { custom } from "./custom.provider.server";
import { openAiEffort } from "./efforts";
import type { ProviderCall, ProviderType } from "./provider-type.server";
import { cuttingAtStops } from "./stop-sequences";

const OpenAiList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Where the Responses API is: at OpenAI, and in Azure's version v1. */
const OWN_HOSTS = /(?:^|\.)(?:openai\.com|azure\.com)$/;
const isElsewhere = (baseUrl: string) => !OWN_HOSTS.test(new URL(baseUrl).hostname);

/** Of OpenAI's own models, beside those of other kinds: elsewhere such names mean others. */
const NOT_FOR_CHAT = /moderation|realtime|image|audio|sora|davinci|babbage|instruct|computer-use/;

/** The Responses API otherwise keeps question and answer for 30 days, and makes every field of a tool required. */
const withOtherDefaults = (model: ChatModel): ChatModel =>
  withCalls(model, (call) => ({
    ...withOption(call, "openai", { store: false }),
    ...(call.tools && {
      tools: call.tools.map((tool) => (tool.type === "function" ? { strict: false, ...tool } : tool)),
    }),
  }));

/** Its models that reason, which refuse stop sequences. */
const REASONS = /(?:^|\/)(?:gpt-[5-9]|o\d)/;

/** The Responses API has no stop sequences. */
const stoppingByChat = (responses: ChatModel, chat: ChatModel): ChatModel => {
  const modelFor = ({ stopSequences = [] }: ChatModelCall) => (stopSequences.length > 0 ? chat : responses);
  return {
    specificationVersion: responses.specificationVersion,
    provider: responses.provider,
    modelId: responses.modelId,
    supportedUrls: responses.supportedUrls,
    doGenerate: (call) => modelFor(call).doGenerate(call),
    doStream: (call) => modelFor(call).doStream(call),
  };
};

/** Of a server that resembles OpenAI's. What is behind it may be OpenAI itself, whose models are known by their names. */
async function chatElsewhere(call: ProviderCall, modelId: string, streams?: boolean): Promise<ChatModel> {
  if (!REASONS.test(modelId)) return compatibleModel(call, modelId, streams);
  const model = await compatibleModel(call, modelId, streams, "", (effort, id) => ({
    openaiCompatible: { ...openAiEffort(effort, id).openai },
  }));
  return cuttingAtStops(withCalls(model, (given) => leaveOut(given, new Set(["maxTokensName"]))));
}

const CHAT_WIRE = {
  "openai-chat": "/chat/completions",
  "openai-embeddings": "/embeddings",
  // Of servers that resemble OpenAI's.
  rerank: "/rerank",
  ...IMAGE_WIRE,
  ...AUDIO_WIRE,
};

export const openai: ProviderType = {
  value: "openai",
  label: "OpenAI",
  description: "GPT models through OpenAI's Responses or Chat Completions API",
  keyKind: "openai",
  keyRequired: true,
  defaultBaseUrl: "https://api.openai.com/v1",
  hasApiChoice: true,
  pricing: "openai",
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings", "Images", "Audio"],
  listing: "Models are discovered automatically; prices come from the catalog",
  wire: { ...CHAT_WIRE, "openai-responses": "/responses" },
  wireFor: ({ api }) => (api === "chat" ? CHAT_WIRE : openai.wire),
  headers: bearer,
  searchingWeb: ({ api }) =>
    api === "chat" ? undefined : withProviderTool("openai.web_search", "web_search"),
  completeConfig(config) {
    // Servers that resemble OpenAI's have its older API at least.
    return config.baseUrl && isElsewhere(config.baseUrl) ? { api: "chat", ...config } : config;
  },
  async listModels(call) {
    if (isElsewhere(call.baseUrl)) return custom.listModels(call);
    const { data } = await readList(call, "/models", OpenAiList);
    return data
      .map(({ id }) => ({ id, kind: kindOfId(id) }))
      .filter(({ id, kind }) => (kind === "chat" ? !NOT_FOR_CHAT.test(id) : !/realtime/.test(id)))
      .sort((a, b) => a.id.localeCompare(b.id));
  },
  async makeModel(call, modelId, streams) {
    const isChat = call.config.api === "chat";
    if (isChat && isElsewhere(call.baseUrl)) return chatElsewhere(call, modelId, streams);
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI({
      baseURL: call.baseUrl,
      apiKey: call.apiKey ?? "",
      fetch: withoutNulls(call.fetch),
    });
    const own = isChat ? provider.chat(modelId) : withOtherDefaults(provider.responses(modelId));
    if (REASONS.test(modelId)) return translatingEffort(cuttingAtStops(own), openAiEffort);
    if (isChat) return translatingEffort(own, openAiEffort);
    const chat = isElsewhere(call.baseUrl)
      ? await chatElsewhere(call, modelId, streams)
      : provider.chat(modelId);
    return translatingEffort(stoppingByChat(own, chat), openAiEffort);
  },
};
