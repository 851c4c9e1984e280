import { z } from "zod";
import { translatingEffort } from "../effort";
import { withOptions, withProviderTool } from "../language-model";
import { drawsInChat, kindOfId } from "../model-families.server";
import { withoutNulls } from "../model-stream.server";
import type { ListedModel, ModelKind } from "../models.schema";
import { bearer, contextTokens, readList, shortText } from "./adapter-parts.server";
import { googleEffort } from "./efforts";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const GeminiList = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      displayName: z.string().nullish(),
      description: z.string().nullish(),
      inputTokenLimit: z.number().nullish(),
      supportedGenerationMethods: z.array(z.string()).nullish(),
    }),
  ),
});
type Entry = z.infer<typeof GeminiList>["models"][number];

function kindOf(id: string, can: readonly string[] | null | undefined): ModelKind | undefined {
  const named = kindOfId(id);
  if (can?.includes("generateContent") ?? true) {
    // Its models for speech answer there with audio alone.
    return named === "speech" || named === "transcription" ? undefined : "chat";
  }
  if (can?.includes("embedContent")) return "embedding";
  return can?.includes("predict") && named === "image" ? "image" : undefined;
}

function toListed(entry: Entry): ListedModel | undefined {
  const { name, displayName, description, inputTokenLimit, supportedGenerationMethods: can } = entry;
  const id = name.replace(/^models\//, "");
  const kind = kindOf(id, can);
  if (!kind) return undefined;
  return {
    id,
    kind,
    name: shortText(displayName, 200),
    description: shortText(description, 500),
    maxTokens: contextTokens(inputTokenLimit),
  };
}

const COMPATIBLE_PATH = "/openai";

function headers(apiKey: string | undefined, address = ""): Record<string, string> {
  return address.includes(`${COMPATIBLE_PATH}/`) ? bearer(apiKey) : { "x-goog-api-key": apiKey ?? "" };
}

function list(call: ProviderCall, size: number) {
  return readList(call, `/models?pageSize=${size}`, GeminiList, headers(call.apiKey));
}

export const google: ProviderType = {
  value: "google",
  label: "Google Gemini",
  description: "Gemini models through Google's Gemini API",
  keyKind: "gemini",
  keyRequired: true,
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  pricing: "google",
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings", "Images"],
  listing: "Models and context lengths are discovered automatically",
  portableState: true,
  wire: {
    "openai-embeddings": `${COMPATIBLE_PATH}/embeddings`,
    "openai-images": `${COMPATIBLE_PATH}/images/generations`,
  },
  headers,
  searchingWeb: () => withProviderTool("google.google_search", "google_search"),
  async listModels(call) {
    const { models } = await list(call, 1000);
    return models.flatMap((entry) => toListed(entry) ?? []);
  },
  probe: (call) => list(call, 1),
  async makeModel(call, modelId) {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    const provider = createGoogleGenerativeAI({
      baseURL: call.baseUrl,
      apiKey: call.apiKey ?? "",
      fetch: withoutNulls(call.fetch),
    });
    const model = translatingEffort(provider(modelId), googleEffort);
    return drawsInChat(modelId)
      ? withOptions(model, "google", { responseModalities: ["TEXT", "IMAGE"] })
      : model;
  },
};
