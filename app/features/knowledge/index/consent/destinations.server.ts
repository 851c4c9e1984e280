import { AppError } from "~/core/errors";
import { keyFor, keyOrigins } from "~/features/keys/keys.service.server";
import {
  canonicalId,
  type EmbeddingOffer,
  listEmbeddingOffers,
} from "~/features/models/embedding-models.service.server";
import type { RagSettings } from "~/features/settings/settings.schema";
import { type Destination, isSameDestination, type NamedDestination } from "./consent.schema";

/** Id of a LiteLLM that isn't configured as a provider. */
export const LITELLM = "litellm";

export function destinationOf({
  providerId,
  baseUrl,
  id,
}: Pick<EmbeddingOffer, "providerId" | "baseUrl" | "id">): Destination {
  return { providerId, origin: baseUrl ? new URL(baseUrl).origin : "", model: id };
}

const named = (offer: EmbeddingOffer): NamedDestination => ({
  ...destinationOf(offer),
  provider: offer.provider,
});

function hasLiteLlmKey(orgId: string, origin: string): boolean {
  try {
    return keyFor(orgId, { kind: "litellm", origin }) !== undefined;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function liteLlmDestinations(
  orgId: string,
  serving: readonly EmbeddingOffer[],
  model: string,
): NamedDestination[] {
  const [origin] = keyOrigins(orgId, "litellm");
  if (!origin) return [];
  const own = serving.map(named).find((destination) => destination.origin === origin);
  if (own) return [own];
  return hasLiteLlmKey(orgId, origin) ? [{ providerId: LITELLM, origin, model, provider: "LiteLLM" }] : [];
}

/** The first provider with the settings' model, else the first that embeds. */
function firstDestination(offers: readonly EmbeddingOffer[], model: string): NamedDestination[] {
  const embedding = offers.filter(({ kind }) => kind === "embedding");
  const [first] = embedding;
  if (!first) return [];
  const own = embedding.find(({ providerId, id }) => providerId === first.providerId && id === model);
  return [named(own ?? first)];
}

interface Meaning {
  orgId: string;
  callable: readonly EmbeddingOffer[];
  serving: readonly EmbeddingOffer[];
  model: string;
}

const MEANINGS: Record<RagSettings["embeddingProvider"], (meaning: Meaning) => NamedDestination[]> = {
  off: () => [],
  builtin: () => [],
  auto: ({ callable, model }) => firstDestination(callable, model),
  openai: ({ serving }) => serving.filter(({ providerType }) => providerType === "openai").map(named),
  model: ({ serving }) => serving.map(named),
  litellm: ({ orgId, serving, model }) => liteLlmDestinations(orgId, serving, model),
};

/** Where documents would be sent by the current settings and providers, regardless of consent. */
export function embeddingDestinations(
  orgId: string,
  { embeddingProvider, embeddingModel }: Pick<RagSettings, "embeddingProvider" | "embeddingModel">,
): NamedDestination[] {
  const model = canonicalId(embeddingModel);
  const callable = listEmbeddingOffers(orgId).filter((offer) => offer.callable);
  const serving = callable.filter(({ id }) => id === model);
  return MEANINGS[embeddingProvider]({ orgId, callable, serving, model });
}

export const isOneOf = (destinations: readonly Destination[], offer: EmbeddingOffer): boolean =>
  destinations.some((destination) => isSameDestination(destination, destinationOf(offer)));
