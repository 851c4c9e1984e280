import { db, transaction } from "~/core/db.server";
import { listServingEndpoints } from "~/features/models/embedding-models.service.server";
import { readSettings } from "~/features/settings/read-settings.service.server";
import { wasUsedForDocuments } from "~/features/usage/usage.service.server";
import { listIndexes } from "../indexes.repo.server";
import { systemActor } from "../system-actor.server";
import type { NamedDestination } from "./consent.schema";
import { agree, hasConsent } from "./consent.server";
import { embeddingDestinations, LITELLM } from "./destinations.server";

/** Providers of a model that have already received documents. */
function usedDestinations(orgId: string, model: string, kind: "embedding" | "chat"): NamedDestination[] {
  return listServingEndpoints(orgId, model, kind)
    .filter(({ providerId }) => wasUsedForDocuments(providerId))
    .map((destination) => ({ ...destination, model }));
}

/**
 * Derives consent for installations from before consents existed: the active index and reranking model keep
 * their providers.
 */
export function deriveConsent(orgId: string): void {
  if (hasConsent(orgId)) return;
  const settings = readSettings(orgId, "rag");
  const serving = listIndexes(db(), orgId).find(({ state }) => state === "serving");
  const space = serving?.space?.kind === "model" ? serving.space : undefined;
  const liteLlm = embeddingDestinations(orgId, settings).filter(
    ({ providerId, model }) => providerId === LITELLM && model === space?.model,
  );
  const embedding = space ? [...usedDestinations(orgId, space.model, "embedding"), ...liteLlm] : [];
  const reranking = settings.rerankModel ? usedDestinations(orgId, settings.rerankModel, "chat") : [];
  const reason = "In use before consent was recorded.";
  transaction((tx) => agree(tx, systemActor(orgId), [...embedding, ...reranking], { reason }));
}
