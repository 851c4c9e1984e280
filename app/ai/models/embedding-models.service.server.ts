import type { ModelKind } from "./models.schema";
import { hasRequiredKey } from "./provider-call.server";
import { canonicalId, enabledProviders, modelsOf } from "./provider-models.server";
import { candidatesFor } from "./router/candidates.server";
import { targetOf } from "./router/targets.server";

export { canonicalId } from "./provider-models.server";

export interface EmbeddingModel {
  id: string;
  /** Manually entered ids count as chat models. */
  kind: ModelKind;
  providerId: string;
  providerType: string;
  provider: string;
  baseUrl: string | null;
  /** Whether the provider has the key it needs. */
  callable: boolean;
}

/** Models of OpenAI-compatible embedding providers, by priority; health is ignored, as the choice is lasting. */
export function listEmbeddingModels(orgId: string): EmbeddingModel[] {
  return enabledProviders(orgId).flatMap(({ row, type, config }) => {
    if (!type.wire["openai-embeddings"]) return [];
    const provider = {
      providerId: row.id,
      providerType: type.value,
      provider: row.displayName,
      baseUrl: config.baseUrl ?? type.defaultBaseUrl,
      callable: hasRequiredKey(row, type),
    };
    return modelsOf({ row, config }).map(({ id, kind = "chat" }) => ({
      id: canonicalId(id),
      kind,
      ...provider,
    }));
  });
}

/** A provider that serves a model and has its key. */
export interface ModelEndpoint {
  providerId: string;
  provider: string;
  origin: string;
  inputCost: number | null;
}

export function listModelEndpoints(orgId: string, modelId: string, kind: ModelKind): ModelEndpoint[] {
  return candidatesFor(orgId, modelId, kind).flatMap((candidate) => {
    const { origin } = hasRequiredKey(candidate.row, candidate.type) ? targetOf(candidate) : { origin: null };
    if (origin === null) return [];
    const { row, cost } = candidate;
    return [{ providerId: row.id, provider: row.displayName, origin, inputCost: cost?.input ?? null }];
  });
}
