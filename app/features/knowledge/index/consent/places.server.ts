import { AppError } from "~/core/errors";
import { keyFor, keyOrigins } from "~/features/keys/keys.service.server";
import {
  canonicalId,
  type EmbeddingOffer,
  listEmbeddingOffers,
} from "~/features/models/embedding-models.service.server";
import type { RagSettings } from "~/features/settings/settings.schema";
import { type NamedPlace, type Place, samePlace } from "./consent.schema";

/** Id of a LiteLLM that isn't configured as a provider. */
export const LITELLM = "litellm";

export function placeOf({
  providerId,
  baseUrl,
  id,
}: Pick<EmbeddingOffer, "providerId" | "baseUrl" | "id">): Place {
  return { providerId, origin: baseUrl ? new URL(baseUrl).origin : "", model: id };
}

const named = (offer: EmbeddingOffer): NamedPlace => ({ ...placeOf(offer), provider: offer.provider });

function hasLiteLlmKey(orgId: string, origin: string): boolean {
  try {
    return keyFor(orgId, { kind: "litellm", origin }) !== undefined;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function liteLlmPlaces(orgId: string, serving: readonly EmbeddingOffer[], model: string): NamedPlace[] {
  const [origin] = keyOrigins(orgId, "litellm");
  if (!origin) return [];
  const own = serving.map(named).find((place) => place.origin === origin);
  if (own) return [own];
  return hasLiteLlmKey(orgId, origin) ? [{ providerId: LITELLM, origin, model, provider: "LiteLLM" }] : [];
}

/** The first provider with the settings' model, else the first that embeds. */
function firstPlace(offers: readonly EmbeddingOffer[], model: string): NamedPlace[] {
  const embedding = offers.filter(({ kind }) => kind === "embedding");
  const [first] = embedding;
  if (!first) return [];
  const own = embedding.find(({ providerId, id }) => providerId === first.providerId && id === model);
  return [named(own ?? first)];
}

interface Meaning {
  orgId: string;
  /** Available offers: of any model, and of the selected one. */
  callable: readonly EmbeddingOffer[];
  serving: readonly EmbeddingOffer[];
  model: string;
}

const MEANINGS: Record<RagSettings["embeddingProvider"], (meaning: Meaning) => NamedPlace[]> = {
  off: () => [],
  builtin: () => [],
  auto: ({ callable, model }) => firstPlace(callable, model),
  openai: ({ serving }) => serving.filter(({ providerType }) => providerType === "openai").map(named),
  model: ({ serving }) => serving.map(named),
  litellm: ({ orgId, serving, model }) => liteLlmPlaces(orgId, serving, model),
};

/** Where documents would be sent by the current settings and providers, regardless of consent. */
export function embeddingPlaces(
  orgId: string,
  { embeddingProvider, embeddingModel }: Pick<RagSettings, "embeddingProvider" | "embeddingModel">,
): NamedPlace[] {
  const model = canonicalId(embeddingModel);
  const callable = listEmbeddingOffers(orgId).filter((offer) => offer.callable);
  const serving = callable.filter(({ id }) => id === model);
  return MEANINGS[embeddingProvider]({ orgId, callable, serving, model });
}

/** Whether an offer is for one of the destinations. */
export const isOneOf = (places: readonly Place[], offer: EmbeddingOffer): boolean =>
  places.some((place) => samePlace(place, placeOf(offer)));
