import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { callableModels } from "./callable-models.server";
import { HUBS, type Hub, type ManagedModel, type ManagedQuery } from "./catalogue.schema";
import { listDiscovered } from "./discovered-models.server";
import { describeModel, settingsById } from "./model-description.server";
import type { ModelSettingsRow } from "./model-settings.repo.server";
import type { ListedModel } from "./models.schema";
import { findProviderType } from "./providers/index.server";
import { addedModel, canonicalId } from "./serving.server";

interface Entry {
  listed: ListedModel;
  source: Hub | "custom";
  provider: string;
  downloads: number | null;
  fallback: boolean;
}

function sourceOf({ source }: ModelSettingsRow): Hub | "custom" {
  return HUBS.find((hub) => hub === source) ?? "custom";
}

/** What the hubs listed, then what was added beside it. */
function entriesOf(orgId: string, rows: Iterable<ModelSettingsRow>): Entry[] {
  const discovered = listDiscovered(orgId).map(({ hub, fallback, fetchedAt: _, downloads, ...listed }) => ({
    listed,
    source: hub,
    provider: hub,
    downloads: downloads ?? null,
    fallback,
  }));
  const known = new Set(discovered.map(({ listed }) => listed.id));
  const added = [...rows]
    .filter((row) => row.source !== null && !known.has(row.modelId))
    .map((row) => ({
      listed: addedModel(row),
      source: sourceOf(row),
      provider: row.providerType ?? "custom",
      downloads: row.downloads,
      fallback: false,
    }));
  return [...added, ...discovered];
}

function everyModel(orgId: string): ManagedModel[] {
  const settings = settingsById(db(), orgId);
  const callable = new Set(callableModels(orgId).map(({ id }) => id));
  return entriesOf(orgId, settings.values()).map(({ listed, source, provider, downloads, fallback }) => {
    const id = canonicalId(listed.id);
    const at = { providerType: provider, pricing: findProviderType(provider)?.pricing ?? null };
    const { price: _, mcpCapabilities: __, ...facts } = describeModel(settings, id, listed, at);
    const row = settings.get(listed.id);
    return {
      ...facts,
      id: listed.id,
      provider,
      source,
      added: row !== undefined && row.source !== null,
      callable: callable.has(id),
      fallback,
      downloads,
    };
  });
}

/** The models that were discovered on the hubs or added by an admin, for the screen that manages them. */
export function listManagedModels(actor: Actor, { search, filter }: ManagedQuery): ManagedModel[] {
  authorise(actor, "providers.manage");
  const words = search.toLowerCase();
  return everyModel(actor.orgId).filter(
    ({ source, id, name, provider, description }) =>
      (filter === "all" || source === filter) &&
      [id, name, provider, description ?? ""].some((text) => text.toLowerCase().includes(words)),
  );
}
