import { cachedByConfig } from "~/core/config-cache.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { CONSENT_TOPIC, readConsent } from "../consent/consent.server";
import { isSameDestination } from "../consent/destination.shared";
import { automaticDestinations, modelDestinations } from "../consent/destinations.server";
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
    const destinations = automaticDestinations(orgId, embeddingModel);
    const latest = agreed.findLast((one) =>
      destinations.some((destination) => isSameDestination(destination, one)),
    );
    return chosen(
      destinations.find((destination) => latest && isSameDestination(destination, latest))?.embedder ??
        BUILTIN,
    );
  }
  const destinations = modelDestinations(orgId, settings);
  if (typeof destinations === "string") return builtinFor(destinations);
  const allowed = destinations.find((destination) =>
    agreed.some((one) => isSameDestination(destination, one)),
  );
  return allowed
    ? chosen(allowed.embedder)
    : builtinFor("Sending documents to a provider needs an admin's consent.");
}

export const EMBEDDER_TOPICS = ["models", "settings:rag", CONSENT_TOPIC] as const;

export const chooseEmbedder = cachedByConfig(EMBEDDER_TOPICS, choose);
