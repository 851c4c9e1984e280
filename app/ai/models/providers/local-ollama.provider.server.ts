import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { isEmbeddingId } from "../model-families.server";
import type { Capability } from "../model-options.shared";
import type { ListedModel } from "../models.schema";
import { bearer, compatibleModel, contextTokens, readList } from "./adapter-parts.server";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const Tags = z.object({ models: z.array(z.object({ name: z.string() })) });
const Version = z.object({ version: z.string() });
const Details = z.object({
  capabilities: z.array(z.string()).nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

/** Details need a request per model; others are described by name. */
const MAX_DETAILED = 60;
const CONCURRENCY = 6;

const ABILITIES: readonly (readonly [string, readonly Capability[]])[] = [
  ["completion", ["text", "conversational"]],
  ["vision", ["vision"]],
  ["tools", ["function-calling"]],
  ["thinking", ["reasoning"]],
];

function lengthOf(info: Record<string, unknown>): number | undefined {
  const contextLength = Object.entries(info).find(([name]) => name.endsWith(".context_length"))?.[1];
  return typeof contextLength === "number" ? contextTokens(contextLength) : undefined;
}

function toListed(id: string, details: z.infer<typeof Details> | undefined): ListedModel {
  const can = details?.capabilities;
  const embeds = can?.length ? can.includes("embedding") && !can.includes("completion") : isEmbeddingId(id);
  const abilities = ABILITIES.flatMap(([theirs, ours]) => (can?.includes(theirs) ? ours : []));
  return {
    id,
    kind: embeds ? "embedding" : "chat",
    maxTokens: lengthOf(details?.model_info ?? {}),
    ...(embeds ? { capabilities: [] } : can?.length ? { capabilities: abilities } : {}),
    ...(can?.length && !can.includes("tools") ? { lacks: ["tools" as const] } : {}),
  };
}

async function detailsOf(call: ProviderCall, model: string): Promise<z.infer<typeof Details> | undefined> {
  const response = await call.fetch(`${call.baseUrl}/api/show`, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(call.apiKey) },
    body: JSON.stringify({ model }),
  });
  const body = await response.text();
  if (!response.ok) return undefined;
  try {
    return Details.parse(parseWellFormed(body));
  } catch {
    // Another server that resembles Ollama: details are derived from the name.
    return undefined;
  }
}

export async function listNames(call: ProviderCall): Promise<string[]> {
  const { models } = await readList(call, "/api/tags", Tags);
  return models.map(({ name }) => name);
}

export const readVersion = (call: ProviderCall) => readList(call, "/api/version", Version);

export const localOllama: ProviderType = {
  value: "local-ollama",
  label: "Ollama (local)",
  description: "Models on your own hardware: no key, no cost, fully local",
  keyKind: "custom",
  keyRequired: false,
  defaultBaseUrl: "http://localhost:11434",
  pricing: null,
  abilities: ["Vision", "Tools", "Reasoning", "Embeddings"],
  local: true,
  listing: "Pulled models and their capabilities are discovered automatically",
  wire: { "openai-chat": "/v1/chat/completions", "openai-embeddings": "/v1/embeddings" },
  // Users often enter the OpenAI-compatible address.
  normalizeBaseUrl: (baseUrl) => baseUrl.replace(/\/(v1|api)$/, ""),
  headers: bearer,
  async listModels(call) {
    const names = await listNames(call);
    const listed: ListedModel[] = [];
    for (let from = 0; from < names.length; from += CONCURRENCY) {
      const describe = async (name: string) =>
        toListed(name, from < MAX_DETAILED ? await detailsOf(call, name) : undefined);
      listed.push(...(await Promise.all(names.slice(from, from + CONCURRENCY).map(describe))));
    }
    return listed;
  },
  probe: readVersion,
  makeModel: (call, modelId, streams) => compatibleModel(call, modelId, streams, "/v1"),
};
