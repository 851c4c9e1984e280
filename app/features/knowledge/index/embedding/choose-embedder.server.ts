import { cachedByConfig } from "~/core/config-cache.server";
import { readSettings } from "~/features/settings/read-settings.service.server";
import { isSameDestination } from "../consent/consent.schema";
import { CONSENT_TOPIC, readConsent } from "../consent/consent.server";
import { automaticPlaces, modelPlaces } from "../consent/destinations.server";
import { BUILTIN, type Embedder } from "./embedder";

interface EmbedderChoice {
  embedder: Embedder | null;
  problem: string | null;
}

const chosen = (embedder: Embedder | null): EmbedderChoice => ({ embedder, problem: null });
const builtinFor = (reason: string): EmbedderChoice => ({
  embedder: BUILTIN,
  problem: `${reason} Using the built-in lexical embedder until then.`,
});

function choose(orgId: string): EmbedderChoice {
  const settings = readSettings(orgId, "rag");
  const { embeddingProvider, embeddingModel } = settings;
  if (embeddingProvider === "off") return chosen(null);
  if (embeddingProvider === "builtin") return chosen(BUILTIN);
  const { agreed } = readConsent(orgId);
  if (embeddingProvider === "auto") {
    const places = automaticPlaces(orgId, embeddingModel);
    const latest = agreed.findLast((one) => places.some((place) => isSameDestination(place, one)));
    return chosen(places.find((place) => latest && isSameDestination(place, latest))?.embedder ?? BUILTIN);
  }
  const places = modelPlaces(orgId, settings);
  if (typeof places === "string") return builtinFor(places);
  const allowed = places.find((place) => agreed.some((one) => isSameDestination(place, one)));
  return allowed
    ? chosen(allowed.embedder)
    : builtinFor("Sending documents to a provider needs an admin's consent.");
}

export const EMBEDDER_TOPICS = ["models", "settings:rag", CONSENT_TOPIC] as const;

export const chooseEmbedder = cachedByConfig(EMBEDDER_TOPICS, choose);
