import { canonicalId, type EmbeddingModel, listEmbeddingModels } from "~/ai/models/models.service.server";
import { AppError } from "~/core/errors";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { keyFor, keyOrigins } from "~/team/keys/keys.service.server";
import { type Embedder, modelEmbedder } from "../embedding/embedder";
import type { Destination, NamedDestination } from "./consent.schema";
import { includesDestination } from "./consent.server";

/** Id of a LiteLLM that isn't configured as a provider. */
export const LITELLM = "litellm";

type Chosen = Pick<RagSettings, "embeddingProvider" | "embeddingModel">;
type EmbeddingDestination = NamedDestination & { embedder: Embedder };

function destinationOf({ providerId, baseUrl, id }: EmbeddingModel): Destination {
  return { providerId, origin: baseUrl ? new URL(baseUrl).origin : "", model: id };
}

export const isOneOf = (destinations: readonly Destination[], offer: EmbeddingModel): boolean =>
  includesDestination(destinations, destinationOf(offer));

function toEmbeddingDestination(
  offer: EmbeddingModel,
  only: { providerType?: string; providerId?: string } = {},
): EmbeddingDestination {
  const { id, kind, provider } = offer;
  return {
    ...destinationOf(offer),
    provider,
    embedder: modelEmbedder(id, { via: "router", kind, ...only }),
  };
}

/** Everything that embeds, of the first provider at first, there with the settings' model first. */
export function automaticDestinations(orgId: string, embeddingModel: string): EmbeddingDestination[] {
  const model = canonicalId(embeddingModel);
  const embedding = listEmbeddingModels(orgId).filter(
    ({ callable, kind }) => callable && kind === "embedding",
  );
  const own = embedding.find(({ providerId, id }) => providerId === embedding[0]?.providerId && id === model);
  return [...(own ? [own] : []), ...embedding].map((offer) => toEmbeddingDestination(offer));
}

function liteLlmDestinations(
  orgId: string,
  offers: readonly EmbeddingModel[],
  model: string,
): EmbeddingDestination[] | string {
  const [origin] = keyOrigins(orgId, "litellm");
  if (!origin)
    return "LiteLLM has no key reference. An admin can add one with its address under Settings › API Keys.";
  const own = offers.find((offer) => offer.callable && destinationOf(offer).origin === origin);
  if (own) return [toEmbeddingDestination(own, { providerId: own.providerId })];
  try {
    keyFor(orgId, { kind: "litellm", origin });
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  const embedder = modelEmbedder(model, { via: "litellm", origin });
  return [{ providerId: LITELLM, origin, model, provider: "LiteLLM", embedder }];
}

/** Where the settings' model can be called, else a sentence why nowhere. */
export function modelDestinations(
  orgId: string,
  { embeddingProvider, embeddingModel }: Chosen,
): readonly EmbeddingDestination[] | string {
  const model = canonicalId(embeddingModel);
  const offers = listEmbeddingModels(orgId).filter(({ id }) => id === model);
  if (embeddingProvider === "litellm") return liteLlmDestinations(orgId, offers, model);
  const only = embeddingProvider === "openai" ? { providerType: "openai" } : {};
  const serving = offers.filter(({ providerType }) => providerType === (only.providerType ?? providerType));
  const callable = serving.filter((offer) => offer.callable);
  if (callable.length > 0) {
    const isChat = ({ kind }: EmbeddingModel) => Number(kind !== "embedding");
    return callable
      .toSorted((a, b) => isChat(a) - isChat(b))
      .map((offer) => toEmbeddingDestination(offer, only));
  }
  const [first] = serving;
  if (first)
    return `${first.provider} offers "${model}", but its key isn't set. Check it under Settings › API Keys.`;
  const subject = only.providerType ? "No provider of the type OpenAI" : "No provider";
  return `${subject} offers "${model}". An admin can add one under Settings › Providers.`;
}

/** Where documents would be sent by the current settings and providers, regardless of consent. */
export function embeddingDestinations(orgId: string, settings: Chosen): readonly NamedDestination[] {
  const { embeddingProvider, embeddingModel } = settings;
  if (embeddingProvider === "off" || embeddingProvider === "builtin") return [];
  if (embeddingProvider === "auto") return automaticDestinations(orgId, embeddingModel).slice(0, 1);
  const destinations = modelDestinations(orgId, settings);
  return typeof destinations === "string" ? [] : destinations;
}
