import type { ModelKind } from "./models.schema";
import { isCallable } from "./provider-call.server";
import { canonicalId, enabledProviders, servedModels } from "./serving.server";

export { canonicalId } from "./serving.server";

/** A model as one enabled provider serves it that can be asked for embeddings. */
export interface EmbeddingOffer {
  /** The id under which it is one and the same with every provider. */
  id: string;
  /** What it is known as; an id that an admin typed in counts as a chat model's. */
  kind: ModelKind;
  providerId: string;
  providerType: string;
  /** The provider's name for a person. */
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
