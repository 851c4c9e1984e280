import type { ModelKind } from "./models.schema";
import { isCallable } from "./provider-call.server";
import { servingCandidates } from "./router/candidates.server";
import { targetOf } from "./router/targets.server";
import { canonicalId, enabledProviders, servedModels } from "./serving.server";

export { canonicalId } from "./serving.server";

export interface EmbeddingOffer {
  id: string;
  /** What it is known as; an id that an admin typed in counts as a chat model's. */
  kind: ModelKind;
  providerId: string;
  providerType: string;
  provider: string;
  baseUrl: string | null;
  /** Whether the provider has the key it needs. */
  callable: boolean;
}

/**
 * What the enabled providers that speak OpenAI's embeddings serve, by their priority. How a provider does at the moment
 * plays no part: a choice made from this is to last.
 */
export function listEmbeddingOffers(orgId: string): EmbeddingOffer[] {
  return enabledProviders(orgId).flatMap(({ row, type, config }) => {
    if (!type.wire["openai-embeddings"]) return [];
    const provider = {
      providerId: row.id,
      providerType: type.value,
      provider: row.displayName,
      baseUrl: config.baseUrl ?? type.defaultBaseUrl,
      callable: isCallable(row, type),
    };
    return servedModels({ row, config }).map(({ id, kind = "chat" }) => ({
      id: canonicalId(id),
      kind,
      ...provider,
    }));
  });
}

/** A provider that serves a model and can be called, with where it is asked. */
export interface ServingEndpoint {
  providerId: string;
  provider: string;
  origin: string;
  /** US dollars per 1,000 tokens of input; null where unknown. */
  inputCost: number | null;
}

export function listServingEndpoints(orgId: string, modelId: string, kind: ModelKind): ServingEndpoint[] {
  return servingCandidates(orgId, modelId, kind).flatMap((candidate) => {
    const { origin } = isCallable(candidate.row, candidate.type) ? targetOf(candidate) : { origin: null };
    if (origin === null) return [];
    const { row, cost } = candidate;
    return [{ providerId: row.id, provider: row.displayName, origin, inputCost: cost?.input ?? null }];
  });
}
