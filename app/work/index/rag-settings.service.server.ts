import { listModelEndpoints } from "~/ai/models/models.service.server";
import { rerankKind } from "~/ai/models/rerank.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import type { RagSettings, UserSettings, UserSettingsInput } from "~/platform/settings/settings.schema";
import { readSettings } from "~/platform/settings/settings.service.server";
import { chosenKeyId, keyOrigins } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { saveRagSettings, updateUserSettings } from "~/team/members/preferences.service.server";
import type { NamedDestination } from "./consent/consent.schema";
import { agree, includesDestination, readConsent } from "./consent/consent.server";
import { embeddingDestinations } from "./consent/destinations.server";

function findNewDestinations(orgId: string, before: RagSettings, after: RagSettings): NamedDestination[] {
  const { embeddingProvider, embeddingModel, rerankModel } = after;
  const hasNewEmbedder =
    before.embeddingProvider !== embeddingProvider || before.embeddingModel !== embeddingModel;
  const embedding = hasNewEmbedder && embeddingProvider !== "auto" ? embeddingDestinations(orgId, after) : [];
  const reranking =
    rerankModel !== null && rerankModel !== before.rerankModel
      ? listModelEndpoints(orgId, rerankModel, rerankKind(orgId, rerankModel)).map((destination) => ({
          ...destination,
          model: rerankModel,
        }))
      : [];
  const { agreed } = readConsent(orgId);
  return [...embedding, ...reranking].filter((one) => !includesDestination(agreed, one));
}

function withConsent(actor: Actor, change: () => UserSettings): UserSettings {
  return transaction((tx) => {
    const before = readSettings(actor.orgId, "rag");
    const after = change();
    const destinations = findNewDestinations(actor.orgId, before, after);
    if (destinations.length > 0) agree(tx, actor, destinations);
    return after;
  });
}

/** Changes settings by name (`updateUserSettings`). Naming a provider is consent. */
export function changeSettings(actor: Actor, input: UserSettingsInput): UserSettings {
  return withConsent(actor, () => updateUserSettings(actor, input));
}

/** Saves the settings form (`saveRagSettings`). Naming a provider is consent. */
export function saveSettingsForm(actor: Actor, sent: RagSettings, version?: number): UserSettings {
  return withConsent(actor, () => saveRagSettings(actor, sent, version));
}

export function knowledgeKeyUses(orgId: string): KeyUse[] {
  const { ragVectorMode, embeddingProvider, embeddingModel } = readSettings(orgId, "rag");
  const to = "/rag?panel=settings";
  const { QDRANT_URL } = env();
  const uses: KeyUse[] = [];
  if (QDRANT_URL && (ragVectorMode === "qdrant" || ragVectorMode === "qdrant-cloud")) {
    const { origin, host } = new URL(QDRANT_URL);
    const keyId = chosenKeyId(orgId, { kind: "qdrant", origin });
    if (keyId) uses.push({ keyId, kind: "Vector store", name: host, to });
  }
  const [origin] = embeddingProvider === "litellm" ? keyOrigins(orgId, "litellm") : [];
  const keyId = origin && chosenKeyId(orgId, { kind: "litellm", origin });
  if (keyId) uses.push({ keyId, kind: "Embedding model", name: embeddingModel, to });
  return uses;
}
