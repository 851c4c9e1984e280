import { cachedByConfig } from "~/core/config-cache.server";
import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/settings.service.server";
import type { SpaceRow } from "../chunks.repo.server";
import {
  CONSENT_TOPIC,
  includesDestination,
  isSameDestination,
  readConsent,
} from "../consent/consent.server";
import { automaticDestinations, modelDestinations } from "../consent/destinations.server";
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

function choose(orgId: string): EmbedderChoice {
  const settings = readSettings(orgId, "rag");
  const { embeddingProvider, embeddingModel } = settings;
  if (embeddingProvider === "off") return chosen(null);
  if (embeddingProvider === "builtin") return chosen(BUILTIN);
  const { agreed } = readConsent(orgId);
  if (embeddingProvider === "auto") {
    const destinations = automaticDestinations(orgId, embeddingModel);
    const latest = agreed.findLast((one) => includesDestination(destinations, one));
    const used = latest && destinations.find((one) => isSameDestination(one, latest));
    return chosen(used?.embedder ?? BUILTIN);
  }
  const destinations = modelDestinations(orgId, settings);
  if (typeof destinations === "string") return builtinFor(destinations);
  const allowed = destinations.find((one) => includesDestination(agreed, one));
  return allowed
    ? chosen(allowed.embedder)
    : builtinFor("Sending documents to a provider needs an admin's consent.");
}

export const EMBEDDER_TOPICS = ["models", "settings:rag", CONSENT_TOPIC] as const;

export const chooseEmbedder = cachedByConfig(EMBEDDER_TOPICS, choose);

/** @throws AppError `unavailable` for the built-in embedder of another version */
export function embedderOf({ orgId, key, kind, model }: SpaceRow): Embedder {
  const { embedder } = chooseEmbedder(orgId);
  if (embedder?.kind === kind && embedder.model === model && kind === "model") return embedder;
  if (kind === "model") return modelEmbedder(model, { via: "router", kind: "embedding" });
  if (key === BUILTIN.key) return BUILTIN;
  throw new AppError(
    "unavailable",
    "The index was built by another version of the built-in embedder and is being rebuilt.",
  );
}

export function labelOf({ kind, model }: Pick<SpaceRow, "kind" | "model">): string {
  return kind === "lexical" ? BUILTIN.label : model;
}
