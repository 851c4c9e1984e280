import { listModelEndpoints } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import type { RagSettings, UserSettings, UserSettingsInput } from "~/platform/settings/settings.schema";
import { saveRagSettings, updateUserSettings } from "~/team/members/preferences.service.server";
import type { NamedDestination } from "./consent/consent.schema";
import { agree, readConsent } from "./consent/consent.server";
import { isSameDestination } from "./consent/destination.shared";
import { embeddingDestinations } from "./consent/destinations.server";

function findNewDestinations(orgId: string, before: RagSettings, after: RagSettings): NamedDestination[] {
  const { embeddingProvider, embeddingModel, rerankModel } = after;
  const hasNewEmbedder =
    before.embeddingProvider !== embeddingProvider || before.embeddingModel !== embeddingModel;
  const embedding = hasNewEmbedder && embeddingProvider !== "auto" ? embeddingDestinations(orgId, after) : [];
  const reranking =
    rerankModel !== null && rerankModel !== before.rerankModel
      ? listModelEndpoints(orgId, rerankModel, "chat").map((destination) => ({
          ...destination,
          model: rerankModel,
        }))
      : [];
  const { agreed } = readConsent(orgId);
  return [...embedding, ...reranking].filter(
    (destination) => !agreed.some((one) => isSameDestination(one, destination)),
  );
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
