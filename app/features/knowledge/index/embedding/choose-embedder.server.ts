import { cachedByConfig } from "~/core/config-cache.server";
import { AppError } from "~/core/errors";
import { keyFor, keyOrigins } from "~/features/keys/keys.service.server";
import {
  canonicalId,
  type EmbeddingOffer,
  listEmbeddingOffers,
} from "~/features/models/embedding-models.service.server";
import { readSettings } from "~/features/settings/read-settings.service.server";
import type { RagSettings } from "~/features/settings/settings.schema";
import { type Destination, isSameDestination } from "../consent/consent.schema";
import { CONSENT_TOPIC, readConsent } from "../consent/consent.server";
import { destinationOf, isOneOf, LITELLM } from "../consent/destinations.server";
import { BUILTIN, type Embedder, modelEmbedder } from "./embedder";

interface EmbedderChoice {
  embedder: Embedder | null;
  problem: string | null;
}

const chosen = (embedder: Embedder | null): EmbedderChoice => ({ embedder, problem: null });
const builtinFor = (reason: string): EmbedderChoice => ({
  embedder: BUILTIN,
  problem: `${reason} Using the built-in lexical embedder until then.`,
});

interface Choosing {
  orgId: string;
  offers: readonly EmbeddingOffer[];
  wanted: string;
  agreed: readonly Destination[];
}

/** The latest destination with consent that is available, independent of other providers. */
function chooseAgreed({ offers, agreed }: Choosing): EmbedderChoice {
  const callable = offers.filter((offer) => offer.callable && offer.kind === "embedding");
  const destination = agreed.findLast((one) =>
    callable.some((offer) => isSameDestination(one, destinationOf(offer))),
  );
  return chosen(
    destination ? modelEmbedder(destination.model, { via: "router", kind: "embedding" }) : BUILTIN,
  );
}

const NOT_AGREED = builtinFor("Sending documents to a provider needs an admin's consent.");

function chooseModel({ offers, wanted, agreed }: Choosing, providerType?: string): EmbedderChoice {
  const serving = offers.filter(
    (offer) => offer.id === wanted && (providerType === undefined || offer.providerType === providerType),
  );
  const callable = serving.filter((offer) => offer.callable);
  const allowed = callable.filter((offer) => isOneOf(agreed, offer));
  const best = allowed.find(({ kind }) => kind === "embedding") ?? allowed[0];
  if (best) {
    const narrowed = providerType ? { providerType } : {};
    return chosen(modelEmbedder(wanted, { via: "router", kind: best.kind, ...narrowed }));
  }
  if (callable.length > 0) return NOT_AGREED;
  const [first] = serving;
  if (first)
    return builtinFor(
      `${first.provider} offers "${wanted}", but its key isn't set. Check it under Settings › API Keys.`,
    );
  const who = providerType === "openai" ? "No provider of the type OpenAI" : "No provider";
  return builtinFor(`${who} offers "${wanted}". An admin can add one under Settings › Providers.`);
}

function chooseLiteLlm({ orgId, offers, wanted, agreed }: Choosing): EmbedderChoice {
  const [origin] = keyOrigins(orgId, "litellm");
  if (!origin) {
    return builtinFor(
      "LiteLLM has no key reference. An admin can add one with its address under Settings › API Keys.",
    );
  }
  const own = offers.find(
    (offer) => offer.id === wanted && offer.callable && destinationOf(offer).origin === origin,
  );
  if (own) {
    if (!isOneOf(agreed, own)) return NOT_AGREED;
    const { kind, providerId } = own;
    return chosen(modelEmbedder(wanted, { via: "router", kind, providerId }));
  }
  try {
    keyFor(orgId, { kind: "litellm", origin });
  } catch (error) {
    if (error instanceof AppError) return builtinFor(error.message);
    throw error;
  }
  const destination = { providerId: LITELLM, origin, model: wanted };
  if (!agreed.some((one) => isSameDestination(one, destination))) return NOT_AGREED;
  return chosen(modelEmbedder(wanted, { via: "litellm", origin }));
}

const CHOICES: Record<RagSettings["embeddingProvider"], (choosing: Choosing) => EmbedderChoice> = {
  off: () => chosen(null),
  builtin: () => chosen(BUILTIN),
  auto: chooseAgreed,
  openai: (choosing) => chooseModel(choosing, "openai"),
  model: (choosing) => chooseModel(choosing),
  litellm: chooseLiteLlm,
};

export const EMBEDDER_TOPICS = ["models", "settings:rag", CONSENT_TOPIC] as const;

export const chooseEmbedder = cachedByConfig(EMBEDDER_TOPICS, (orgId): EmbedderChoice => {
  const { embeddingProvider, embeddingModel } = readSettings(orgId, "rag");
  return CHOICES[embeddingProvider]({
    orgId,
    offers: listEmbeddingOffers(orgId),
    wanted: canonicalId(embeddingModel),
    agreed: readConsent(orgId).agreed,
  });
});
