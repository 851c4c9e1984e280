import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { kindOfId } from "../model-families.server";
import type { Capability } from "../model-options.shared";
import type { ListedModel } from "../models.schema";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";
import { bearer, compatibleModel, contextTokens, readList } from "./adapter-parts.server";
import type { ProviderCall, ProviderType } from "./provider-type.server";

const Tags = z.object({ models: z.array(z.object({ name: z.string() })) });
const Version = z.object({ version: z.string() });
const Details = z.object({
  capabilities: z.array(z.string()).nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
  /** Lines such as `num_ctx 8192`. */
  parameters: z.string().nullish(),
});
const Running = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number().nullish() })),
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

/** Its smallest default: https://docs.ollama.com/context-length */
const DEFAULT_CONTEXT = 4096;

/** The context lengths of loaded models; none if the server doesn't report them. */
async function runningContexts(call: ProviderCall): Promise<Map<string, number>> {
  try {
    const { models } = await readList(call, "/api/ps", Running);
    return new Map(
      models.flatMap(({ name, context_length }) => (context_length ? [[name, context_length]] : [])),
    );
  } catch (error) {
    if (error instanceof ProviderHttpError || error instanceof MalformedResponse) return new Map();
    throw error;
  }
}

/**
 * How much of a prompt the server reads, whatever the model can: it cuts the rest off without a word. A model that isn't
 * loaded gets its own `num_ctx`, else the server's default, as of another loaded model.
 */
function servedContext(
  id: string,
  details: z.infer<typeof Details> | undefined,
  running: ReadonlyMap<string, number>,
): number {
  const own = /^num_ctx[ \t]+(\d{1,9})[ \t]*$/m.exec(details?.parameters?.slice(0, 10_000) ?? "")?.[1];
  const usual = running.size > 0 ? Math.min(...running.values()) : DEFAULT_CONTEXT;
  const served = running.get(id) ?? (own ? Number(own) : usual);
  return Math.min(served, lengthOf(details?.model_info ?? {}) ?? served);
}

function embeds(id: string, details: z.infer<typeof Details> | undefined): boolean {
  const can = details?.capabilities;
  return can?.length
    ? can.includes("embedding") && !can.includes("completion")
    : kindOfId(id) === "embedding";
}

function toListed(
  id: string,
  details: z.infer<typeof Details> | undefined,
  running: ReadonlyMap<string, number>,
): ListedModel {
  const can = details?.capabilities;
  const isEmbedding = embeds(id, details);
  const abilities = ABILITIES.flatMap(([theirs, ours]) => (can?.includes(theirs) ? ours : []));
  return {
    id,
    kind: isEmbedding ? "embedding" : "chat",
    maxTokens: isEmbedding ? lengthOf(details?.model_info ?? {}) : servedContext(id, details, running),
    ...(isEmbedding ? { capabilities: [] } : can?.length ? { capabilities: abilities } : {}),
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
  cutsPrompts: true,
  listing: "Pulled models and their capabilities are discovered automatically",
  wire: { "openai-chat": "/v1/chat/completions", "openai-embeddings": "/v1/embeddings" },
  // Users often enter the OpenAI-compatible address.
  normalizeBaseUrl: (baseUrl) => baseUrl.replace(/\/(v1|api)$/, ""),
  headers: bearer,
  async listModels(call) {
    const names = await listNames(call);
    const running = await runningContexts(call);
    const details = new Map<string, z.infer<typeof Details> | undefined>();
    for (let from = 0; from < Math.min(names.length, MAX_DETAILED); from += CONCURRENCY) {
      const some = names.slice(from, from + CONCURRENCY);
      const described = await Promise.all(some.map((name) => detailsOf(call, name)));
      for (const [at, name] of some.entries()) details.set(name, described[at]);
    }
    // An embedding model is loaded with its own short length.
    for (const name of running.keys()) if (embeds(name, details.get(name))) running.delete(name);
    return names.map((name) => toListed(name, details.get(name), running));
  },
  probe: readVersion,
  // One that it is just loading is in the list already.
  async isLoaded(call, modelId) {
    const { models } = await readList(call, "/api/ps", Running);
    return models.some(({ name }) => name === modelId || name === `${modelId}:latest`);
  },
  makeModel: (call, modelId, streams) => compatibleModel(call, modelId, streams, "/v1"),
};
