import { cachedByConfig } from "~/core/config-cache.server";
import { AppError } from "~/core/errors";
import { keyFor, keyOrigins } from "~/features/keys/keys.service.server";
import {
  canonicalId,
  type EmbeddingOffer,
  listEmbeddingOffers,
} from "~/features/models/embedding-models.service.server";
import type { RagSettings } from "~/features/settings/settings.schema";
import { readRagSettings } from "~/features/settings/settings.service.server";
import { BUILTIN, type Embedder, modelEmbedder } from "./embedder";

interface EmbedderChoice {
  /** Null where embeddings are off. */
  embedder: Embedder | null;
  /** Why another one than the settings ask for is used, for a person. */
  problem: string | null;
}

const chosen = (embedder: Embedder | null): EmbedderChoice => ({ embedder, problem: null });
const builtinFor = (reason: string): EmbedderChoice => ({
  embedder: BUILTIN,
  problem: `${reason} Until then the built-in lexical embedder serves.`,
});

/** The first provider that can be called and embeds: with the model of the settings if it has it, else its first. */
function chooseFirst(offers: readonly EmbeddingOffer[], wanted: string): EmbedderChoice {
  const first = offers.find(({ callable, kind }) => callable && kind === "embedding");
  if (!first) return chosen(BUILTIN);
  const own = offers.filter(
    ({ providerId, kind }) => providerId === first.providerId && kind === "embedding",
  );
  const { id } = own.find((offer) => offer.id === wanted) ?? first;
  return chosen(modelEmbedder(id, { via: "router", kind: "embedding" }));
}

function chooseModel(
  offers: readonly EmbeddingOffer[],
  wanted: string,
  providerType?: string,
): EmbedderChoice {
  const serving = offers.filter(
    (offer) => offer.id === wanted && (providerType === undefined || offer.providerType === providerType),
  );
  const best =
    serving.find(({ callable, kind }) => callable && kind === "embedding") ??
    serving.find(({ callable }) => callable);
  if (best) {
    const narrowed = providerType ? { providerType } : {};
    return chosen(modelEmbedder(wanted, { via: "router", kind: best.kind, ...narrowed }));
  }
  const [first] = serving;
  if (first) return builtinFor(`${first.provider} serves "${wanted}", but has no key that can be used.`);
  const who = providerType === "openai" ? "No provider of the type OpenAI" : "No provider";
  return builtinFor(`${who} serves "${wanted}". An admin sets one up under Settings › Providers.`);
}

function chooseLiteLlm(orgId: string, offers: readonly EmbeddingOffer[], wanted: string): EmbedderChoice {
  const [origin] = keyOrigins(orgId, "litellm");
  if (!origin) {
    return builtinFor(
      "There is no key reference for LiteLLM: an admin adds one with its address under Settings › API Keys.",
    );
  }
  const own = offers.find(
    ({ id, baseUrl, callable }) => id === wanted && callable && baseUrl && new URL(baseUrl).origin === origin,
  );
  if (own) {
    const { kind, providerId } = own;
    return chosen(modelEmbedder(wanted, { via: "router", kind, providerId }));
  }
  try {
    keyFor(orgId, { kind: "litellm", origin });
  } catch (error) {
    if (error instanceof AppError) return builtinFor(error.message);
    throw error;
  }
  return chosen(modelEmbedder(wanted, { via: "litellm", origin }));
}

type Choose = (orgId: string, offers: readonly EmbeddingOffer[], wanted: string) => EmbedderChoice;

/** What each value of the setting means. */
const CHOICES: Record<RagSettings["embeddingProvider"], Choose> = {
  off: () => chosen(null),
  builtin: () => chosen(BUILTIN),
  auto: (_orgId, offers, wanted) => chooseFirst(offers, wanted),
  openai: (_orgId, offers, wanted) => chooseModel(offers, wanted, "openai"),
  model: (_orgId, offers, wanted) => chooseModel(offers, wanted),
  litellm: chooseLiteLlm,
};

/**
 * The embedder that the settings mean, given the providers and keys there are. What can't be called gives way to the
 * built-in one; a provider that merely fails at the moment doesn't: everything would be embedded anew for an hour's fault.
 */
export const chooseEmbedder = cachedByConfig((orgId): EmbedderChoice => {
  const { embeddingProvider, embeddingModel } = readRagSettings(orgId);
  return CHOICES[embeddingProvider](orgId, listEmbeddingOffers(orgId), canonicalId(embeddingModel));
});
